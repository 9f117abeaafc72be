import type {
  AdminCanvas,
  AdminCanvasList,
  AdminSettings,
  AdminUser,
  AdminUserDetails,
  AdminUserList,
  AuditEntry,
  AuditLog,
  HandoverPreview,
  HandoverResult,
  Organisation,
  OrganisationList,
} from "@easel/protocol/management";
import { z } from "zod";
import { access, accessMode, publicationStatus, time } from "../../canvases/authored-canvas.ts";
import { exact } from "../../http/field-schemas.ts";
import { PERSON_QUOTA_NAMES } from "../../organisation/quotas.ts";
import { nextCursor, person } from "./canvas.ts";

const userFields = {
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
};

export const adminUser = exact<AdminUser>()("AdminUser", z.strictObject(userFields));

const quotaUsage = z.strictObject({ used: z.int(), limit: z.int() });

export const adminUserDetails = exact<AdminUserDetails>()(
  "AdminUserDetails",
  z.strictObject({
    ...userFields,
    usage: z.strictObject({
      "canvases.person": quotaUsage,
      "bundles.bytes.person": quotaUsage,
      "files.bytes.person": quotaUsage,
    }),
    sessions: z.int(),
    tokens: z.int(),
  }),
);

export const handoverPreview = exact<HandoverPreview>()(
  "HandoverPreview",
  z.strictObject({
    canvases: z.array(
      z.strictObject({ id: z.string(), slug: z.string(), title: z.string(), editors: z.array(z.string()) }),
    ),
    nextCursor,
    teams: z.array(z.strictObject({ id: z.string(), name: z.string(), members: z.int() })),
    sessions: z.int(),
    tokens: z.int(),
  }),
);

export const handoverResult = exact<HandoverResult>()(
  "HandoverResult",
  z.strictObject({
    moved: z.int(),
    left: z.array(
      z.strictObject({
        id: z.string(),
        code: z.enum(["NOT_FOUND", "QUOTA_EXCEEDED", "KEY_LIMIT"]),
        quota: z.enum(PERSON_QUOTA_NAMES).nullable(),
      }),
    ),
    remaining: z.int(),
    deactivated: z.boolean(),
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
