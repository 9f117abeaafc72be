import type {
  AdminCanvas,
  AdminCanvasList,
  AdminSettings,
  AdminUser,
  AdminUserList,
  AuditEntry,
  AuditLog,
  Organisation,
  OrganisationList,
} from "@easel/protocol/management";
import { z } from "zod";
import { access, accessMode, publicationStatus, time } from "../../canvases/authored-canvas.ts";
import { exact } from "../../http/field-schemas.ts";
import { PERSON_QUOTA_NAMES } from "../../organisation/quotas.ts";
import { nextCursor, person } from "./canvas.ts";

export const adminUser = exact<AdminUser>()(
  "AdminUser",
  z.strictObject({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    avatarUrl: z.string().nullable(),
    createdAt: time,
    deactivatedAt: time.nullable(),
    canPublishPublic: z.boolean(),
    isAdmin: z.boolean(),
    canvases: z.int(),
    quotas: z.record(z.enum(PERSON_QUOTA_NAMES), z.int().nullable()),
  }),
);

export const adminUserList = exact<AdminUserList>()(
  "AdminUserList",
  z.strictObject({ users: z.array(adminUser), nextCursor }),
);

export const adminCanvas = exact<AdminCanvas>()(
  "AdminCanvas",
  z.strictObject({
    id: z.string(),
    slug: z.string(),
    url: z.string(),
    title: z.string(),
    owner: person,
    access,
    accessMode,
    publicationStatus,
    createdAt: time,
    updatedAt: time,
    expiresAt: time.nullable(),
    hasPassword: z.boolean(),
    archivedAt: time.nullable(),
    disabledAt: time.nullable(),
    disabledReason: z.string().nullable(),
    deletedAt: time.nullable(),
    version: z.string().nullable(),
  }),
);

export const adminCanvasList = exact<AdminCanvasList>()(
  "AdminCanvasList",
  z.strictObject({ canvases: z.array(adminCanvas), nextCursor }),
);

export const organisation = exact<Organisation>()(
  "Organisation",
  z.strictObject({
    id: z.string(),
    name: z.string(),
    domains: z.array(z.string()),
    createdAt: time,
    members: z.int(),
  }),
);

export const organisationList = exact<OrganisationList>()(
  "OrganisationList",
  z.strictObject({ orgs: z.array(organisation) }),
);

export const adminSettings = exact<AdminSettings>()(
  "AdminSettings",
  z.strictObject({
    publicLinks: z.boolean(),
    quotas: z.record(z.string(), z.int()),
    ai: z.strictObject({
      models: z.array(z.string()),
      userDailyUsd: z.number(),
      canvasMonthlyUsd: z.number(),
      guestUsd: z.number(),
      instanceMonthlyUsd: z.number().nullable(),
    }),
  }),
);

const auditEntry = exact<AuditEntry>()(
  "AuditEntry",
  z.strictObject({
    id: z.string(),
    at: time,
    actor: z.strictObject({ id: z.string(), email: z.string() }),
    act: z.string(),
    canvasId: z.string().nullable(),
    target: z.string().nullable(),
    address: z.string(),
    details: z.json(),
  }),
);

export const auditLog = exact<AuditLog>()(
  "AuditLog",
  z.strictObject({ entries: z.array(auditEntry), nextCursor }),
);
