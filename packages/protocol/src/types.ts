import type { Audience, ChannelPolicy, Operation, RuntimePolicy } from "./policy.ts";

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Role of a person on one canvas. */
export type CanvasRole = "owner" | "editor" | "viewer";

/** Names of the permissions in `GET /me`. */
export const PERMISSIONS = [
  "canCreateCanvas",
  "canEditContent",
  "canManageVersions",
  "canReadSharedData",
  "canWriteSharedData",
  "canSavePreferences",
  "canSubmit",
  "canManageSubmissions",
  "canUploadSharedFiles",
  "canUploadSubmissionFiles",
  "canUseAi",
  "canUseConnections",
  "canPublishSharedEvents",
  "canPublishParticipantEvents",
] as const;

/** Name of a permission. */
export type Permission = (typeof PERMISSIONS)[number];

/** Whether the caller may do an operation on their own records, and on any record. */
export interface Right {
  own: boolean;
  any: boolean;
}

/** Effective rights on a collection or file group. */
export type Rights = Record<Operation, Right>;

/** Effective rights on a realtime channel. */
export type ChannelRights = Record<keyof ChannelPolicy, boolean>;

/** The body of `GET /me` (specification 2 and 4.2). */
export interface Identity {
  id: string;
  email: string;
  name: string;
  avatarUrl: string | null;
  kind: "member" | "guest";
  canvasRole: CanvasRole;
  permissions: Record<Permission, boolean>;
  resources: {
    collections: Record<string, Rights>;
    fileGroups: Record<string, Rights>;
    channels: Record<string, ChannelRights>;
    connections: Record<string, { invoke: boolean; methods: string[] }>;
  };
}

/** One entry of the key-value store. */
export interface KvEntry<Value = Json> {
  key: string;
  value: Value;
}

/** A page of `GET /kv`; `nextCursor` is null on the last one. */
export interface KvPage<Value = Json> {
  entries: KvEntry<Value>[];
  nextCursor: string | null;
}

/** General access: who may open a canvas besides the people and teams it is shared with. */
export type Access = "private" | "whole_org" | "public_link";

/** Lifecycle state of a canvas (specification 3). */
export type PublicationStatus = "disabled" | "archived" | "unpublished" | "draft" | "expired" | "published";

/** A canvas as its owner and editors see it (specification 2, AuthoredCanvas). Times are epoch milliseconds. */
export interface AuthoredCanvas {
  id: string;
  url: string;
  title: string;
  tags: string[];
  access: Access;
  accessMode: "restricted" | "whole_org" | "public_link";
  publicationStatus: PublicationStatus;
  hasPassword: boolean;
  status: "revoked" | "expired" | "private" | "live";
  createdAt: number;
  updatedAt: number;
  expiresAt: number | null;
  galleryListed: boolean;
  galleryTemplatable: boolean;
  discoverability: "link_only" | "listed";
  revokedAt: number | null;
  createdBy: string;
  viewerRole: CanvasRole | "admin";
  /** Number of people and teams on the list; null for viewers. `names`: up to five display names, never e-mail addresses. */
  audienceSummary: { count: number | null; names: string[] };
  version: string | null;
  bundleUpdatedAt: number;
  sourceApp: string | null;
  sourceKind: string | null;
  metadata: { [name: string]: Json };
}

/** The switches of a canvas as the management API shows them. */
export interface Capabilities {
  backendEnabled: boolean;
  kv: boolean;
  files: boolean;
  ai: boolean;
  realtime: boolean;
  authoring: boolean;
  aiAudience: Audience;
  connectionsAudience: Audience;
  authoringAudience: Audience;
  guestAi: boolean;
}

/** A canvas of the management API. */
export interface Canvas extends AuthoredCanvas {
  slug: string;
  /** The administrator's reason for disabling the canvas, for owner and editors; null for everyone else. */
  disabledReason: string | null;
  /** Whether navigations to paths without a file get `index.html`. */
  spa: boolean;
  owner: { id: string; email: string; name: string };
  people: { email: string; role: "editor" | "viewer" }[];
  teams: { id: string; name: string; role: "editor" | "viewer" }[];
  capabilities: Capabilities;
  runtimePolicy: RuntimePolicy | null;
  runtimePolicyRevision: string | null;
}

/** A file or folder of a bundle that is not published: a dot file, which may hold secrets, or a leftover of a file manager. */
export interface LeftOut {
  path: string;
  reason: "dot_file" | "litter";
}

/** Response to a deploy. `warnings` are sentences for people. */
export interface DeployedCanvas extends Canvas {
  leftOut: LeftOut[];
  warnings: string[];
}

/** A staged deploy that has begun. `missing` are the hashes of the bytes to upload; `warnings` are sentences for people. */
export interface StagedDeployCreated {
  id: string;
  missing: string[];
  leftOut: LeftOut[];
  warnings: string[];
}

/** Response to the end of a staged deploy. `warnings` are sentences for people about the content of its files. */
export interface FinishedDeploy extends Canvas {
  warnings: string[];
}

/** The number of files of a version that differ from those of the version stored before it. */
export interface ChangedFiles {
  added: number;
  changed: number;
  removed: number;
}

/** One immutable deployed version. `changed` is null if an older release has stored it. */
export interface Version {
  id: string;
  createdAt: number;
  createdBy: string;
  createdByName: string;
  files: number;
  bytes: number;
  changed: ChangedFiles | null;
  message: string | null;
  current: boolean;
}

/** The body of `GET /api/me` (specification 4.11). */
export interface Account {
  id: string;
  email: string;
  name: string;
  avatarUrl: string | null;
  isAdmin: boolean;
  orgs: { id: string; name: string }[];
  isGuest: boolean;
  canPublishPublic: boolean;
  authMode: "proxy" | "oidc" | "dev";
  urlMode: "path" | "subdomain";
  baseUrl: string;
  designSkin: string | null;
}
