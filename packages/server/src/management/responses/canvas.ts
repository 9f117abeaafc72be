import {
  ACTIVITY_ACTS,
  type Activity,
  type ActivityList,
  type CallLogPage,
  type CanvasList,
  type CapabilitySettings,
  DATA_PARTS,
  type DataSummary,
  type ImportResult,
  type Invitation,
  type InvitationList,
  type ListedCanvas,
  type NewInvitation,
  type PageError,
  type RealtimePlaces,
  type Usage,
  type VersionList,
  type Views,
} from "@easel/protocol/management";
import { PRESETS, type Preset } from "@easel/protocol/policy";
import type {
  Canvas,
  Capabilities,
  CapabilitiesOff,
  ChangedFiles,
  DeployedCanvas,
  FinishedDeploy,
  LeftOut,
  PreviewLink,
  StagedDeployCreated,
  UploadedFiles,
  Version,
  VersionFiles,
} from "@easel/protocol/types";
import { z } from "zod";
import { authoredFields, time } from "../../canvases/authored-canvas.ts";
import { policy } from "../../canvases/publishing/canvas-schemas.ts";
import { exact } from "../../http/field-schemas.ts";
import { aiUsage, monthlySpend } from "./ai-usage.ts";
import { callsByProfile } from "./connections.ts";

/** The cursor of the next page; null on the last page. */
export const nextCursor = z.string().nullable();
export const person = z.strictObject({ id: z.string(), email: z.string(), name: z.string() });
const role = z.enum(["editor", "viewer"]);
const audience = z.enum(["editors", "viewers"]);

const capabilities = exact<Capabilities>()(
  "Capabilities",
  z.strictObject({
    backendEnabled: z.boolean(),
    kv: z.boolean(),
    files: z.boolean(),
    ai: z.boolean(),
    realtime: z.boolean(),
    authoring: z.boolean(),
    aiAudience: audience,
    connectionsAudience: audience,
    authoringAudience: audience,
    guestAi: z.boolean(),
  }),
);

const reasonOff = z.enum(["backend_off", "feature_off", "operator_disabled"]);

const capabilitiesOff = exact<CapabilitiesOff>()(
  "CapabilitiesOff",
  z.strictObject({
    identity: reasonOff.optional(),
    kv: reasonOff.optional(),
    files: reasonOff.optional(),
    ai: reasonOff.optional(),
    realtime: reasonOff.optional(),
    connections: reasonOff.optional(),
    authoring: reasonOff.optional(),
  }),
);

const canvasFields = {
  ...authoredFields,
  slug: z.string(),
  disabledReason: z.string().nullable(),
  spa: z.boolean(),
  owner: person,
  people: z.array(z.strictObject({ email: z.string(), role, name: z.string().nullable() })),
  teams: z.array(z.strictObject({ id: z.string(), name: z.string(), role })),
  sharingRevision: z.string().nullable(),
  capabilities,
  capabilitiesOff,
  runtimePolicy: policy.nullable(),
  runtimePolicyRevision: z.string().nullable(),
};

export const canvas = exact<Canvas>()("Canvas", z.strictObject(canvasFields));

const leftOut = exact<LeftOut>()(
  "LeftOut",
  z.strictObject({ path: z.string(), reason: z.enum(["dot_file", "litter"]) }),
);

export const deployedCanvas = exact<DeployedCanvas>()(
  "DeployedCanvas",
  z.strictObject({ ...canvasFields, leftOut: z.array(leftOut), warnings: z.array(z.string()) }),
);

export const finishedDeploy = exact<FinishedDeploy>()(
  "FinishedDeploy",
  z.strictObject({
    ...canvasFields,
    storedVersion: z.string(),
    warnings: z.array(z.string()),
    unchanged: z.boolean(),
  }),
);

export const stagedDeploy = exact<StagedDeployCreated>()(
  "StagedDeployCreated",
  z.strictObject({
    id: z.string(),
    missing: z.array(z.string()),
    leftOut: z.array(leftOut),
    warnings: z.array(z.string()),
  }),
);

export const missingFiles = exact<{ missing: string[] }>()(
  "MissingFiles",
  z.strictObject({ missing: z.array(z.string()) }),
);

export const uploadedFiles = exact<UploadedFiles>()(
  "UploadedFiles",
  z.strictObject({
    uploaded: z.array(z.string()),
    refused: z.array(
      z.strictObject({
        sha256: z.string(),
        code: z.enum(["INVALID_BODY", "NOT_FOUND"]),
        message: z.string(),
      }),
    ),
  }),
);

const listedCanvas = exact<ListedCanvas>()(
  "ListedCanvas",
  z.strictObject({
    ...canvasFields,
    lastUsedAt: time.nullable(),
    people30: z.int().nullable(),
    deletedAt: time.optional(),
    purgeAt: time.optional(),
  }),
);

export const canvasList = exact<CanvasList>()(
  "CanvasList",
  z.strictObject({ canvases: z.array(listedCanvas), nextCursor }),
);

export const capabilitySettings = exact<CapabilitySettings>()(
  "CapabilitySettings",
  z.strictObject({
    capabilities,
    capabilitiesOff,
    runtimePolicy: canvasFields.runtimePolicy,
    runtimePolicyRevision: canvasFields.runtimePolicyRevision,
  }),
);

const changedFiles = exact<ChangedFiles>()(
  "ChangedFiles",
  z.strictObject({ added: z.int(), changed: z.int(), removed: z.int() }),
);

const version = exact<Version>()(
  "Version",
  z.strictObject({
    id: z.string(),
    createdAt: time,
    createdBy: z.string(),
    createdByName: z.string(),
    files: z.int(),
    bytes: z.int(),
    changed: changedFiles.nullable(),
    message: z.string().nullable(),
    releaseId: z.string().nullable(),
    current: z.boolean(),
    published: z.boolean(),
  }),
);

export const versionFiles = exact<VersionFiles>()(
  "VersionFiles",
  z.strictObject({
    version: z.string(),
    files: z.array(z.strictObject({ path: z.string(), size: z.int(), mime: z.string(), sha256: z.string() })),
    nextCursor,
  }),
);

export const previewLink = exact<PreviewLink>()(
  "PreviewLink",
  z.strictObject({ url: z.string(), expiresAt: time }),
);

export const versionList = exact<VersionList>()(
  "VersionList",
  z.strictObject({ versions: z.array(version) }),
);

const invitation = exact<Invitation>()(
  "Invitation",
  z.strictObject({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    createdAt: time,
    linkExpiresAt: time,
    revokedAt: time.nullable(),
  }),
);

export const invitationList = exact<InvitationList>()(
  "InvitationList",
  z.strictObject({ invites: z.array(invitation), nextCursor: z.string().nullable() }),
);

export const newInvitation = exact<NewInvitation>()(
  "NewInvitation",
  z.strictObject({
    id: z.string(),
    email: z.string(),
    url: z.string(),
    linkExpiresAt: time,
    mailed: z.boolean(),
  }),
);

const pageError = exact<PageError>()(
  "PageError",
  z.strictObject({
    page: z.string(),
    source: z.string().nullable(),
    line: z.int().nullable(),
    column: z.int().nullable(),
    count: z.int(),
    preview: z.boolean(),
  }),
);

export const callLogPage = exact<CallLogPage>()(
  "CallLogPage",
  z.strictObject({
    entries: z.array(
      z.strictObject({
        at: time,
        method: z.string(),
        route: z.string(),
        status: z.int(),
        code: z.string().nullable(),
        message: z.string().nullable(),
        userId: z.string().nullable(),
        requestId: z.string(),
        pageError: pageError.nullable(),
        userName: z.string().nullable(),
      }),
    ),
    next: z.string(),
    dropped: z.int(),
  }),
);

const activity = exact<Activity>()(
  "Activity",
  z.strictObject({
    id: z.string(),
    at: time,
    actor: z.strictObject({ id: z.string(), name: z.string().nullable() }).nullable(),
    act: z.enum(ACTIVITY_ACTS),
    via: z.strictObject({ client: z.string().nullable(), tool: z.string() }).nullable(),
    target: z.string().nullable(),
    details: z.json(),
  }),
);

export const activityList = exact<ActivityList>()(
  "ActivityList",
  z.strictObject({ entries: z.array(activity), nextCursor }),
);

export const dataSummary = exact<DataSummary>()(
  "DataSummary",
  z.strictObject({
    kv: z.int(),
    kvUser: z.int(),
    collections: z.array(
      z.strictObject({
        name: z.string(),
        records: z.int(),
        bytes: z.int(),
        preset: z.enum(Object.keys(PRESETS) as [Preset]).nullable(),
      }),
    ),
    submissions: z.array(z.strictObject({ name: z.string(), entries: z.int() })),
    files: z.strictObject({ count: z.int(), bytes: z.int() }),
  }),
);

export const importResult = exact<ImportResult>()(
  "ImportResult",
  z.strictObject({
    existing: z.enum(["keep", "replace"]),
    imported: z.record(z.enum(DATA_PARTS), z.int()),
    skipped: z.array(
      z.strictObject({ what: z.string(), reason: z.string(), count: z.int(), line: z.int().nullable() }),
    ),
  }),
);

const realtimePlaces = exact<RealtimePlaces>()(
  "RealtimePlaces",
  z.strictObject({
    connections: z.int(),
    limit: z.int(),
    limitPerPerson: z.int().nullable(),
    people: z.array(z.strictObject({ id: z.string(), name: z.string(), connections: z.int() })),
  }),
);

const views = exact<Views>()(
  "Views",
  z.strictObject({
    total: z.int(),
    people: z.int(),
    days: z.array(z.strictObject({ day: z.string(), views: z.int(), people: z.int() })),
  }),
);

export const quotaUsage = z.strictObject({ used: z.int(), limit: z.int() });

export const usage = exact<Usage>()(
  "Usage",
  z.strictObject({
    counts: z.record(z.string(), quotaUsage),
    bytes: z.strictObject({ version: z.int(), versions: z.int(), data: z.int() }),
    spend: monthlySpend,
    ai: aiUsage,
    connections: callsByProfile,
    realtime: realtimePlaces,
    views: views.nullable(),
  }),
);
