import type { Capability, DisabledReason } from "./capabilities.ts";
import type { Audience, ChannelPolicy, ConnectionMethod, Operation, RuntimePolicy } from "./policy.ts";

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

/** The effective rights of the caller on a collection or file group, by operation. */
export type Rights = Record<Operation, Right>;

/** The effective rights of the caller on a realtime channel. */
export type ChannelRights = Record<keyof ChannelPolicy, boolean>;

/**
 * What the caller may do with a Connection: whether requests are possible at all, and with which methods. `methods` is empty if `invoke` is
 * false.
 */
export interface ConnectionRights {
  invoke: boolean;
  methods: ConnectionMethod[];
}

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
    connections: Record<string, ConnectionRights>;
    /** The ids of the AI models that the viewer may use here. Empty if AI is off, or not for this viewer. */
    models: string[];
  };
}

/** A person whose name the caller may know, as `GET /people` returns them. `avatarUrl` is the address of their picture, or null. */
export interface Person {
  id: string;
  name: string;
  avatarUrl: string | null;
}

/** One entry of the key-value store. */
export interface KvEntry<Value = Json> {
  key: string;
  value: Value;
}

/** A page of `GET /kv`. `nextCursor` is null on the last page. */
export interface KvPage<Value = Json> {
  entries: KvEntry<Value>[];
  nextCursor: string | null;
}

/** General access: who may open a canvas besides the people and teams that it is shared with. */
export type Access = "private" | "whole_org" | "public_link";

/** Lifecycle state of a canvas (specification 3). */
export type PublicationStatus = "disabled" | "archived" | "unpublished" | "draft" | "expired" | "published";

/** A canvas as the authoring API and the management API return it (specification 2, AuthoredCanvas). Times are epoch milliseconds. */
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
  /**
   * `count` is the number of people and teams that the canvas is shared with; null for viewers. `names` has the display names of up to five
   * of them, never e-mail addresses.
   */
  audienceSummary: { count: number | null; names: string[] };
  version: string | null;
  bundleUpdatedAt: number;
  sourceApp: string | null;
  sourceKind: string | null;
  metadata: { [name: string]: Json };
}

/**
 * The capability switches of a canvas, and for some capabilities the audience that may use them. This is the form in the management API.
 */
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

/** Capabilities that do not work, each with the reason. */
export type CapabilitiesOff = { [Name in Capability]?: DisabledReason | undefined };

/** A canvas as the management API returns it. */
export interface Canvas extends AuthoredCanvas {
  slug: string;
  /**
   * The reason that the administrator gave for disabling the canvas. Null if there is none, or if the caller is not the owner or an editor.
   */
  disabledReason: string | null;
  /** Whether a browser gets `index.html` when it navigates to a path for which the canvas has no file. */
  spa: boolean;
  owner: { id: string; email: string; name: string };
  /** Sorted by `email`. `name` is null for people who have never signed in. Empty for viewers. */
  people: { email: string; role: "editor" | "viewer"; name: string | null }[];
  teams: { id: string; name: string; role: "editor" | "viewer" }[];
  /** Another text whenever general access, password, end, people or teams are other ones. Null for viewers, who do not see them all. */
  sharingRevision: string | null;
  capabilities: Capabilities;
  /** The capabilities that do not work on the canvas, each with the reason. It takes the settings of the instance into account. */
  capabilitiesOff: CapabilitiesOff;
  runtimePolicy: RuntimePolicy | null;
  runtimePolicyRevision: string | null;
}

/** A file or folder of a bundle that is not published: a dot file, which may hold secrets, or a leftover of a file manager. */
export interface LeftOut {
  path: string;
  reason: "dot_file" | "litter";
}

/**
 * The response to a deploy. `leftOut` are the files that are not published, and `warnings` are sentences for people about likely mistakes.
 */
export interface DeployedCanvas extends Canvas {
  leftOut: LeftOut[];
  warnings: string[];
}

/**
 * A staged deploy that has begun: its files are uploaded one by one. `missing` are the SHA-256 hashes of the files that must be uploaded;
 * `warnings` are sentences for people.
 */
export interface StagedDeployCreated {
  id: string;
  missing: string[];
  leftOut: LeftOut[];
  warnings: string[];
}

/**
 * Response to an upload of several files of a staged deploy. `uploaded` are the hashes of the files that are stored durably. `refused` are the
 * others, each with the reason.
 */
export interface UploadedFiles {
  uploaded: string[];
  refused: { sha256: string; code: "INVALID_BODY" | "NOT_FOUND"; message: string }[];
}

/**
 * Response to the end of a staged deploy. `storedVersion` is the id of the version that it has stored, which the canvas publishes unless the
 * request said otherwise. `warnings` are sentences for people about the content of its files. `unchanged`: nothing was stored, because the
 * published version has the `releaseId` of the deploy; `storedVersion` is this version.
 */
export interface FinishedDeploy extends Canvas {
  storedVersion: string;
  warnings: string[];
  unchanged: boolean;
}

/** How many files differ between a version and the version that was stored before it. */
export interface ChangedFiles {
  added: number;
  changed: number;
  removed: number;
}

/**
 * One immutable deployed version. `changed` is null if an older release of the service stored the version. `published`: it is the published
 * version, or was once.
 */
export interface Version {
  id: string;
  createdAt: number;
  createdBy: string;
  createdByName: string;
  files: number;
  bytes: number;
  changed: ChangedFiles | null;
  message: string | null;
  releaseId: string | null;
  current: boolean;
  published: boolean;
}

/** A file of a version: its path, the number of its bytes, the media type with which it is served, and the SHA-256 in hexadecimal. */
export interface VersionFile {
  path: string;
  size: number;
  mime: string;
  sha256: string;
}

/** The files of a version, or a page of them. `nextCursor` is null after the last file. */
export interface VersionFiles {
  version: string;
  files: VersionFile[];
  nextCursor: string | null;
}

/** A link to the preview of a version of a canvas. It works once, until `expiresAt`. */
export interface PreviewLink {
  url: string;
  expiresAt: number;
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
