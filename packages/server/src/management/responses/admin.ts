import type {
  AdminCanvas,
  AdminCanvasList,
  AdminSettings,
  AdminUser,
  AdminUserDetails,
  AdminUserList,
  AuditLog,
  EndedCount,
  ErasureResult,
  HandoverPreview,
  HandoverResult,
  IdentityList,
  InstanceConfig,
  InstanceHealth,
  InstanceOverview,
  InvitedGuestList,
  ListedAuditEntry,
  Organisation,
  OrganisationList,
  OrganisationPreview,
} from "@easel/protocol/management";
import { z } from "zod";
import { access, accessMode, publicationStatus, time } from "../../canvases/authored-canvas.ts";
import { exact } from "../../http/field-schemas.ts";
import { PERSON_QUOTA_NAMES } from "../../organisation/quotas.ts";
import { personQuotas } from "./account.ts";
import { nextCursor, person } from "./canvas.ts";

const userFields = {
  id: z.string(),
  email: z.string(),
  name: z.string(),
  avatarUrl: z.string().nullable(),
  createdAt: time,
  deactivatedAt: time.nullable(),
  erasedAt: time.nullable(),
  lastSeenAt: time.nullable(),
  canPublishPublic: z.boolean(),
  isAdmin: z.boolean(),
  canvases: z.int(),
  quotas: z.record(z.enum(PERSON_QUOTA_NAMES), z.int().nullable()),
};

export const adminUser = exact<AdminUser>()("AdminUser", z.strictObject(userFields));

export const adminUserDetails = exact<AdminUserDetails>()(
  "AdminUserDetails",
  z.strictObject({
    ...userFields,
    usage: personQuotas,
    sessions: z.int(),
    tokens: z.int(),
    apps: z.int(),
    guests: z.int(),
  }),
);

export const invitedGuestList = exact<InvitedGuestList>()(
  "InvitedGuestList",
  z.strictObject({
    guests: z.array(
      z.strictObject({
        id: z.string(),
        email: z.string(),
        name: z.string(),
        createdAt: time,
        canvas: z.strictObject({ id: z.string(), title: z.string(), slug: z.string() }),
      }),
    ),
    nextCursor,
  }),
);

export const identityList = exact<IdentityList>()(
  "IdentityList",
  z.strictObject({
    identities: z.array(z.strictObject({ issuer: z.string(), subject: z.string(), createdAt: time })),
  }),
);

export const endedCount = exact<EndedCount>()("EndedCount", z.strictObject({ ended: z.int() }));

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
    apps: z.int(),
    guests: z.int(),
  }),
);

const handedOver = {
  moved: z.int(),
  left: z.array(
    z.strictObject({
      id: z.string(),
      code: z.enum(["NOT_FOUND", "QUOTA_EXCEEDED", "KEY_LIMIT"]),
      quota: z.enum(PERSON_QUOTA_NAMES).nullable(),
    }),
  ),
  remaining: z.int(),
};

export const handoverResult = exact<HandoverResult>()(
  "HandoverResult",
  z.strictObject({ ...handedOver, deactivated: z.boolean() }),
);

export const erasureResult = exact<ErasureResult>()(
  "ErasureResult",
  z.strictObject({ ...handedOver, erased: z.boolean() }),
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

const movedPeople = z.strictObject({ count: z.int(), people: z.array(person) });

export const organisationPreview = exact<OrganisationPreview>()(
  "OrganisationPreview",
  z.strictObject({
    joining: movedPeople,
    leaving: movedPeople,
    taken: z.array(
      z.strictObject({ domain: z.string(), org: z.strictObject({ id: z.string(), name: z.string() }) }),
    ),
    canvases: z.int(),
  }),
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

const auditEntry = exact<ListedAuditEntry>()(
  "AuditEntry",
  z.strictObject({
    id: z.string(),
    at: time,
    actor: z.strictObject({ id: z.string(), email: z.string() }),
    act: z.string(),
    canvasId: z.string().nullable(),
    canvasTitle: z.string().nullable(),
    target: z.string().nullable(),
    address: z.string(),
    details: z.json(),
    via: z.strictObject({ client: z.string(), tool: z.string() }).nullable(),
  }),
);

export const auditLog = exact<AuditLog>()(
  "AuditLog",
  z.strictObject({ entries: z.array(auditEntry), nextCursor }),
);

export const instanceOverview = exact<InstanceOverview>()(
  "InstanceOverview",
  z.strictObject({
    canvases: z.strictObject({
      disabled: z.int(),
      archived: z.int(),
      unpublished: z.int(),
      draft: z.int(),
      expired: z.int(),
      published: z.int(),
      deleted: z.int(),
    }),
    people: z.strictObject({ total: z.int(), deactivated: z.int(), active30: z.int() }),
    bytes: z.strictObject({ bundles: z.int(), files: z.int() }),
    ai: z.strictObject({
      month: z.string(),
      spent: z.number(),
      reserved: z.number(),
      limit: z.number().nullable(),
    }),
    attention: z.array(
      z.strictObject({
        kind: z.enum([
          "sharesExpiring",
          "ownersDeactivated",
          "quotasNear",
          "connectionKeys",
          "connectionsFailing",
        ]),
        count: z.int(),
        query: z.string(),
      }),
    ),
  }),
);

export const instanceHealth = exact<InstanceHealth>()(
  "InstanceHealth",
  z.strictObject({
    version: z.string(),
    startedAt: time,
    nodes: z.array(
      z.strictObject({
        id: z.string(),
        version: z.string(),
        startedAt: time,
        host: z.string(),
        skewMs: z.int(),
        connections: z.int(),
        current: z.boolean(),
      }),
    ),
    parts: z.array(
      z.strictObject({
        name: z.enum(["database", "blobs", "bus", "ai", "connections", "signIn"]),
        ok: z.boolean(),
        ms: z.int(),
        detail: z.string(),
      }),
    ),
    disk: z.strictObject({ free: z.int(), total: z.int() }).nullable(),
    migrations: z.string(),
    lastSweepAt: time.nullable(),
    lastBackupAt: time.nullable(),
  }),
);

export const instanceConfig = exact<InstanceConfig>()(
  "InstanceConfig",
  z.strictObject({
    settings: z.array(
      z.strictObject({
        name: z.string(),
        value: z.string(),
        source: z.enum(["environment", "default", "instance"]),
        changeable: z.boolean(),
        key: z.string().nullable(),
        secret: z.boolean(),
        fallback: z.string(),
        meaning: z.string(),
      }),
    ),
  }),
);
