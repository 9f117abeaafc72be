import type { ConnectionMethod, Preset, RuntimePolicy } from "./policy.ts";
import type {
  Access,
  Canvas,
  CanvasRole,
  Capabilities,
  CapabilitiesOff,
  Identity,
  Json,
  PublicationStatus,
  Version,
} from "./types.ts";

// The types of the responses of the management API, except Account, Canvas and DeployedCanvas, which are in types.ts. Times are in epoch
// milliseconds.

/** The lists of canvases: those that the caller owns, those shared with them, those listed for their organisation, and those they have deleted. */
export const CANVAS_LISTS = ["mine", "shared", "organisation", "trash"] as const;
export type CanvasListName = (typeof CANVAS_LISTS)[number];

/** The orders of canvases: the last use first, the last change first, the newest first, or by title. */
export const CANVAS_SORTS = ["used", "updated", "created", "title"] as const;
export type CanvasSort = (typeof CANVAS_SORTS)[number];

/** A canvas in a list. `deletedAt` and `purgeAt` are present only in the list of deleted canvases. */
export interface ListedCanvas extends Canvas {
  /**
   * The time at which somebody opened a page of the canvas the last time, at most half a minute late. Null if nobody has, for callers who are
   * neither owner nor editor, and if the instance counts no views.
   */
  lastUsedAt: number | null;
  /**
   * The number of different people who opened the canvas in the last 30 days, without those who had not signed in. Null for callers who are
   * neither owner nor editor, and if the instance counts no views.
   */
  people30: number | null;
  deletedAt?: number | undefined;
  /** The time until which the owner can restore the canvas. */
  purgeAt?: number | undefined;
}

/** The response of `GET /api/canvases`; `nextCursor` is null on the last page. */
export interface CanvasList {
  canvases: ListedCanvas[];
  nextCursor: string | null;
}

/** A person as `GET /api/people` finds them. */
export interface FoundPerson {
  email: string;
  name: string;
  avatarUrl: string | null;
}

/** The response of `GET /api/people`. */
export interface FoundPeople {
  people: FoundPerson[];
}

/** The response of `PATCH /api/canvases/{id}/capabilities`. */
export interface CapabilitySettings {
  capabilities: Capabilities;
  capabilitiesOff: CapabilitiesOff;
  runtimePolicy: RuntimePolicy | null;
  runtimePolicyRevision: string | null;
}

/**
 * The codes of errors in pages: a script error or an unhandled rejection, a subresource that did not load, and what the content security
 * policy has blocked.
 */
export const PAGE_ERROR_CODES = ["SCRIPT_ERROR", "LOAD_FAILED", "CSP_VIOLATION"] as const;

/** Where and how often an error happened in a page of a canvas, as the page has reported it. All texts are the page's. */
export interface PageError {
  /** The path of the page below the address of the canvas, such as `/` or `/map.html`. */
  page: string;
  /**
   * The script in which it happened: a path below the address of the canvas, or a URL elsewhere, without its query. Null if it is unknown or
   * part of the page.
   */
  source: string | null;
  /** The line and column in `source`, or in the page if that is null, from 1. Null if they are unknown. */
  line: number | null;
  column: number | null;
  /** How often it has happened since the page reported it last. */
  count: number;
  /** Whether the page was the preview of a version. */
  preview: boolean;
}

/** A refused or failed call to the runtime API of a canvas, or an error that a page has reported by such a call. */
export interface LoggedCall {
  at: number;
  method: string;
  /**
   * The path below `/v1/c/{slug}`, without the query. Ids, per-user keys and the paths of Connections are placeholders, as in
   * `/kv/user/{key}`.
   */
  route: string;
  /** The HTTP status of the response, or the code with which the service closed a WebSocket. */
  status: number;
  /** The error code, or null if the response has none. If `pageError` is not null, one of `PAGE_ERROR_CODES`. */
  code: string | null;
  message: string | null;
  /** The id of the caller, or null if the caller is anonymous. */
  userId: string | null;
  /**
   * The `requestId` of the response. All entries of a WebSocket have the id of the request that opened it, and all errors of a page that were
   * reported at once have that of the report.
   */
  requestId: string;
  /** The error of a page of the canvas that this call has reported, or null. `code` and `message` are then those of the error. */
  pageError: PageError | null;
}

/** A call with the name of its caller, or null if the caller is anonymous or no longer exists. */
export interface NamedCall extends LoggedCall {
  userName: string | null;
}

/** The response of `GET /api/canvases/{id}/log`, oldest first. */
export interface CallLogPage {
  entries: NamedCall[];
  /** The value of `after` for the next request. */
  next: string;
  /** The number of calls since `after` that were not logged because there were too many. */
  dropped: number;
}

/**
 * What the activity of a canvas contains: the acts that change the canvas, its settings and who may open it, and those that take data out of it.
 * `authoring.*` are changes by a canvas page.
 */
export const ACTIVITY_ACTS = [
  "canvas.create",
  "canvas.update",
  "canvas.deploy",
  "canvas.stage-finish",
  "canvas.publish",
  "canvas.unpublish",
  "canvas.delete-version",
  "canvas.preview",
  "canvas.preview-open",
  "canvas.share",
  "canvas.invite",
  "canvas.uninvite",
  "canvas.transfer",
  "canvas.reassign",
  "canvas.capabilities",
  "canvas.phase",
  "canvas.export",
  "canvas.import",
  "canvas.delete",
  "canvas.restore-own",
  "canvas.disable",
  "canvas.enable",
  "canvas.restore",
  "connection.grant",
  "connection.revoke",
  "authoring.create",
  "authoring.update",
  "authoring.deploy",
  "authoring.revoke",
  "data.write",
] as const;
export type ActivityAct = (typeof ACTIVITY_ACTS)[number];

/** A connected program through which somebody acted, by its name, and the tool of `/mcp` that it called. */
export interface Via {
  client: string;
  tool: string;
}

/** What somebody has changed on a canvas, without e-mail addresses. */
export interface Activity {
  id: string;
  at: number;
  /** Who did it; `name` is null if they no longer exist, or have none but their address. Null for an administrator of the service. */
  actor: { id: string; name: string | null } | null;
  act: ActivityAct;
  /** The program through which they did it; null for none. `client` is null if its name contains an address. */
  via: { client: string | null; tool: string } | null;
  /**
   * What was changed: the id of a version, the name of a person, guest, collection or Connection. Null if it was the canvas itself, or if it
   * has no name.
   */
  target: string | null;
  /** Further facts, which differ by act, such as the changed fields. Lists of people and teams are numbers by role. */
  details: Json;
}

/** The response of `GET /api/canvases/{id}/activity`, newest first; `nextCursor` is null on the last page. */
export interface ActivityList {
  entries: Activity[];
  nextCursor: string | null;
}

/** The parts of a canvas's data that are exported and imported. */
export const DATA_PARTS = ["kv", "collections", "submissions", "files"] as const;
export type DataPart = (typeof DATA_PARTS)[number];

/** The response of `GET /api/canvases/{id}/data`: how much data a canvas stores, for all users together. */
export interface DataSummary {
  /** The number of shared keys. */
  kv: number;
  /** The number of per-user keys, of all users. */
  kvUser: number;
  /** `preset` is null for a collection that the policy no longer configures. */
  collections: { name: string; records: number; bytes: number; preset: Preset | null }[];
  submissions: { name: string; entries: number }[];
  files: { count: number; bytes: number };
}

/** Entries that an import has left out for one reason. `what` names the file in the zip, or the part. */
export interface SkippedData {
  what: string;
  /** An error code, such as `KEY_LIMIT`, or `EXISTS`, `OTHER_AUTHOR` or `UNKNOWN_FILE`. */
  reason: string;
  /** The number of entries that were left out for this reason. */
  count: number;
  /** The number of the first line that was left out, counted from 1. Null if the reason is not about lines. */
  line: number | null;
}

/** The response of `POST /api/canvases/{id}/import`. */
export interface ImportResult {
  /** What happened to entries that exist already. */
  existing: "keep" | "replace";
  imported: Record<DataPart, number>;
  skipped: SkippedData[];
}

/** The response of `GET /api/canvases/{id}/versions`, newest first. */
export interface VersionList {
  versions: Version[];
}

/** An invitation of a guest to one canvas. */
export interface Invitation {
  id: string;
  email: string;
  name: string;
  createdAt: number;
  revokedAt: number | null;
}

/** The response of `GET /api/canvases/{id}/invites`, newest first; `nextCursor` is null on the last page. */
export interface InvitationList {
  invites: Invitation[];
  nextCursor: string | null;
}

/** A new invitation; `url` contains its secret and is returned only once. */
export interface NewInvitation {
  id: string;
  email: string;
  url: string;
}

/** The rules that decide who may open a canvas, in the order in which they are checked. */
export const ACCESS_RULES = [
  "signed_in",
  "exists",
  "archived",
  "disabled",
  "other_guest",
  "rung",
  "expired",
  "password",
  "static_only",
  "published",
  "backend",
] as const;
export type AccessRule = (typeof ACCESS_RULES)[number];

/** The errors with which these rules refuse. */
export const ACCESS_REFUSALS = [
  "NOT_AUTHENTICATED",
  "NOT_FOUND",
  "ARCHIVED",
  "DISABLED",
  "NOT_INVITED",
  "OWNER_ONLY",
  "SHARE_EXPIRED",
  "PASSWORD_REQUIRED",
  "STATIC_ONLY",
  "CAPABILITY_DISABLED",
] as const;
export type AccessRefusal = (typeof ACCESS_REFUSALS)[number];

/**
 * One rule as it applies to a person. `closes` is what the rule refuses to them: it is empty unless the outcome is `refused`. `because` is a
 * sentence for people.
 */
export interface AccessStep {
  rule: AccessRule;
  outcome: "passed" | "refused" | "not_reached";
  closes: ("pages" | "api")[];
  because: string;
}

/** A way in which a person has a role on a canvas. `team` is the name of the team, and absent if the caller does not see the team. */
export interface AccessGrant {
  via: "owner" | "person" | "team" | "organisation" | "invitation" | "link";
  role: CanvasRole;
  team?: string | undefined;
}

/** The response of `GET /api/canvases/{id}/access`: what a person may do on a canvas, and why. */
export interface AccessExplanation {
  /**
   * Who is explained. `unknown` is an address with which nobody has signed in, as far as the caller may know. `name` is null unless the
   * caller may know it.
   */
  subject: {
    kind: "member" | "unknown" | "guest" | "anonymous";
    email: string | null;
    name: string | null;
  };
  /** Whether the pages of the canvas open. */
  pages: boolean;
  /** Whether the runtime API answers. */
  api: boolean;
  /** The role of the person, which they also have while another rule refuses them. */
  role: CanvasRole | null;
  /** The error of the first rule that refuses pages or API; null if both open. */
  code: AccessRefusal | null;
  /** The rules in their order. */
  steps: AccessStep[];
  /** All ways in which the person has a role. The first one gives the strongest. */
  grants: AccessGrant[];
  /** As in `GET /me` of this person once they have entered the password. All false if another rule than the password closes the API. */
  permissions: Identity["permissions"];
  /** As in `GET /me`, and empty whenever no permission is given because the API is closed. */
  resources: Identity["resources"];
}

/** The name of a quota that administrators can also set for a single person. */
export type PersonQuotaName =
  | "canvases.person"
  | "bundles.bytes.person"
  | "files.bytes.person"
  | "versions.canvas";

/** How much of one quota is used. For a quota per person or per file, `used` is the highest value of any one person or file. */
export interface QuotaUsage {
  used: number;
  limit: number;
}

/** Figures about a group of AI requests, such as those of one day: their number, their tokens and their cost. */
export interface AiSums {
  requests: number;
  /** The number of these requests that did not end with a complete response: the provider failed, the client aborted, or the service ended. */
  incomplete: number;
  /** Tokens of input that were neither read from the provider's cache nor written to it. */
  inputTokens: number;
  outputTokens: number;
  cacheCreationInputTokens: number;
  cacheReadInputTokens: number;
  /** US dollars. */
  cost: number;
}

/** The AI requests that started on the days `from` to `to`, inclusive. Days are `YYYY-MM-DD` in UTC; those without a request are absent. */
export interface AiUsage {
  from: string;
  to: string;
  total: AiSums;
  /** In the order of the days. */
  days: (AiSums & { day: string })[];
  /** The most expensive first. */
  models: (AiSums & { model: string })[];
}

/**
 * The response of `GET /api/admin/ai/usage`. `models`, `people` and `canvases` have at most 1,000 entries each, the most expensive first.
 */
export interface InstanceAiUsage extends AiUsage {
  /** `limit` is null if the instance has no cap. */
  spend: Omit<MonthlySpend, "limit"> & { limit: number | null };
  /**
   * `name` and `email` are null for a person or guest who has been removed. `guestCost` is the cost in US dollars of the requests of guests
   * whom the person has invited, which counts under the daily cap of the person as well. `cost` and the order do not include it.
   */
  people: (AiSums & { userId: string; name: string | null; email: string | null; guestCost: number })[];
  canvases: (AiSums & { canvasId: string; slug: string; title: string })[];
}

/**
 * The spend of a canvas or of the instance on AI in the current month (UTC), in US dollars. `reserved` is the highest cost that the running requests can have
 * together.
 */
export interface MonthlySpend {
  month: string;
  spent: number;
  reserved: number;
  limit: number;
}

/** The spend of a person on AI on the current day (UTC), in US dollars, with that of guests whom they have invited. */
export interface DailySpend {
  day: string;
  spent: number;
  reserved: number;
  limit: number;
}

/**
 * The response of `GET /api/me/usage`. For the quota `versions.canvas`, `used` is the highest number of versions of one canvas of the person.
 */
export interface PersonUsage {
  quotas: Record<PersonQuotaName, QuotaUsage>;
  ai: DailySpend;
}

/**
 * Figures about a group of calls through Connections. `p50Ms` and `p95Ms` are rounded up to the bound of a range, such as 10, 20 or 35 ms.
 */
export interface ConnectionCalls {
  calls: number;
  /** The number of responses of the upstream by the class of their status, such as `2xx`. */
  responses: Record<string, number>;
  /** The number of other calls by error code, such as `UPSTREAM_TIMEOUT`. `aborted` counts those whose caller disconnected. */
  failures: Record<string, number>;
  /** The durations of the calls that got a response of the upstream. Null if there are none. */
  latency: { meanMs: number; p50Ms: number; p95Ms: number } | null;
}

/** The response of `GET /api/admin/connections/{profile}/usage`. `from` and `to` are the first and the last day (UTC) that it counts. */
export interface ProfileUsage {
  from: string;
  to: string;
  total: ConnectionCalls;
  /** In the order of the days. */
  days: (ConnectionCalls & { day: string })[];
  /** One entry for each canvas that has calls, sorted by title. */
  canvases: (ConnectionCalls & { canvasId: string; slug: string; title: string })[];
}

/**
 * What guests and visitors of a Public link may do with a Connection that is granted to them. Without a field, they may do what members
 * may.
 */
export interface ConnectionLimits {
  /** The exact paths at the external API, percent-encoded and without a query, such as `/v1/forecast`. */
  paths?: string[] | undefined;
  methods?: ConnectionMethod[] | undefined;
  /** How many requests all of them together may send through this canvas on a day (UTC). */
  requestsPerDay?: number | undefined;
}

/** The permission of an administrator to use a Connection on a canvas. It always admits members. */
export interface ConnectionGrant {
  /** Whether visitors of a Public link may use it. */
  public: boolean;
  /** Whether guests of the canvas may use it. */
  guests: boolean;
  limits: ConnectionLimits;
}

/** How a test call of a profile ended. Nothing else of the response is told. */
export interface ConnectionTest {
  /** The status of the external API; null if there was no response. */
  status: number | null;
  /** The error code that a page would get, and a sentence about it; null if there was a response. */
  code: string | null;
  message: string | null;
  /** How long the call took. */
  ms: number;
  /** The size of the body, which was read and dropped. */
  bytes: number;
}

/** A profile of Connections: an external server that administrators have approved. */
export interface ConnectionProfile {
  profile: string;
  /** The origin of the external API, such as `https://api.example.com`. */
  origin: string;
  methods: ConnectionMethod[];
  enabled: boolean;
  /**
   * The names of the protected headers: those that the service adds to each request, such as `authorization`. Their values are never
   * returned.
   */
  headerNames: string[];
  /** Whether the service can decrypt the values of the protected headers. True if the profile has no protected headers. */
  keyAvailable: boolean;
  grants: (ConnectionGrant & { canvasId: string; slug: string; title: string })[];
}

/** The response of `GET /api/admin/connections`: all profiles, sorted by name. */
export interface ConnectionProfileList {
  connections: ConnectionProfile[];
}

/** A profile that is granted to a canvas, as its editors see it. */
export interface GrantedConnection {
  profile: string;
  origin: string;
  /** The methods that the administrator allows to members. */
  methods: ConnectionMethod[];
  /** Whether calls are sent now. False if an administrator has turned the profile off, or its protected headers cannot be decrypted. */
  enabled: boolean;
  /** Whether visitors of a Public link may use it. */
  public: boolean;
  /** Whether the policy of the canvas has an entry for it. Without one, the audience for Connections applies. */
  inPolicy: boolean;
}

/** The response of `GET /api/canvases/{id}/connections`, sorted by profile. */
export interface GrantedConnectionList {
  connections: GrantedConnection[];
}

/** The open realtime connections to a canvas, and who has them. */
export interface RealtimePlaces {
  connections: number;
  /** How many connections the canvas may have. */
  limit: number;
  /** How many of them one person may have; null if this is not limited. */
  limitPerPerson: number | null;
  /** Those with the most connections first. */
  people: { id: string; name: string; connections: number }[];
}

/** How often the pages of a canvas were opened on a day (UTC), by how many different people. */
export interface DayViews {
  day: string;
  views: number;
  people: number;
}

/** How often the pages of a canvas were opened, and by how many people. Views of people who had not signed in are in `views` and `total` alone. */
export interface Views {
  /** The number of views in the range of days. */
  total: number;
  /** The number of different people in the last 30 days, whatever the range. */
  people: number;
  /** The days of the range on which a page was opened, the first one first. */
  days: DayViews[];
}

/** The response of `GET /api/canvases/{id}/usage`. */
export interface Usage {
  /** The views of the canvas's pages on the days that the query names. Null if the instance counts no views. */
  views: Views | null;
  /** The use of each quota, by the name of the quota, such as `kv.keys.shared`. */
  counts: Record<string, QuotaUsage>;
  /** The size in bytes of the current version, of all versions together, and of the stored data. */
  bytes: { version: number; versions: number; data: number };
  spend: MonthlySpend;
  /** The AI requests of the canvas on the days that the query names, by default those of the current month. */
  ai: AiUsage;
  /** The calls through each Connection on the same days as in `ai`. Counts older than 90 days have been deleted. */
  connections: (ConnectionCalls & { profile: string })[];
  /** The realtime connections that are open at the time of the request. */
  realtime: RealtimePlaces;
}

/** A session of the caller. `current` is true for the session that sent the request. */
export interface SessionInfo {
  id: string;
  createdAt: number;
  expiresAt: number;
  address: string;
  userAgent: string;
  current: boolean;
}

/** The response of `GET /api/sessions`, newest first. */
export interface SessionList {
  sessions: SessionInfo[];
}

/**
 * The scopes of personal access tokens. `full` allows everything that the user may do, except managing tokens and sessions. `deploy` allows
 * reading the management API and deploying canvases. `read` allows only reading.
 */
export const TOKEN_SCOPES = ["full", "deploy", "read"] as const;

export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** A personal access token without its secret. */
export interface TokenInfo {
  id: string;
  name: string;
  scope: TokenScope;
  /**
   * The only canvas for which the token is valid; null if it is valid for every canvas. `title` and `slug` are null while the user of the
   * token has no role on the canvas or the canvas is deleted.
   */
  canvas: { id: string; title: string | null; slug: string | null } | null;
  createdAt: number;
  expiresAt: number | null;
  usedAt: number | null;
}

/** The response of `GET /api/tokens`, newest first. */
export interface TokenList {
  tokens: TokenInfo[];
  nextCursor: string | null;
}

/** A new access token; `token` is its secret and is returned only once. */
export interface NewToken {
  id: string;
  token: string;
}

/** A connected tool: what a person has allowed one program to do through the tools of `/mcp`. */
export interface AppInfo {
  id: string;
  /**
   * The program. `host` is that of the document that describes it, null if there is none. `verified` is whether the document or the
   * configuration of the service vouches for the program; otherwise the name is what the program calls itself.
   */
  client: { name: string; host: string | null; verified: boolean };
  /** The host to which the program has sent the person back; null if there is none. */
  redirectHost: string | null;
  /** Whether it is an access token that the person has created; `client.name` is then the name of the token. */
  isToken: boolean;
  scope: TokenScope;
  /** The only canvas that it may use; null for all. `title` and `slug` are as those of an access token. */
  canvas: { id: string; title: string | null; slug: string | null } | null;
  /** Whether it may use only canvases that it has made itself. */
  ownOnly: boolean;
  /** Whether the person is asked before a canvas is opened to more people or deleted. */
  confirms: boolean;
  createdAt: number;
  usedAt: number | null;
  expiresAt: number | null;
}

/** Connected tools, newest first. Those that have expired are left out. */
export interface AppList {
  apps: AppInfo[];
  nextCursor: string | null;
}

/** The response of `GET /api/apps`. */
export interface OwnAppList extends AppList {
  /** The address to which tools connect; null if the service accepts no access tokens. */
  url: string | null;
}

/** A program of which people have connected tools. */
export interface ClientInUse {
  id: string;
  name: string;
  host: string | null;
  verified: boolean;
  /** The number of people who have connected it. */
  people: number;
  /** The number of connected tools, of which one person can have several. */
  tools: number;
  /** When one of them was last used; null if none ever was. */
  usedAt: number | null;
}

/** The access tokens for AI tools that people have created themselves. */
export type TokensInUse = Pick<ClientInUse, "people" | "tools" | "usedAt">;

/** The response of `GET /api/admin/apps`, by the ids of the programs. */
export interface ClientList {
  clients: ClientInUse[];
  tokens: TokensInUse;
  nextCursor: string | null;
}

/** How many connected tools have ended. */
export interface EndedApps {
  ended: number;
}

/** What a connected tool may do, in words: each scope adds to the one below it. */
export const TOOL_RIGHTS: Record<TokenScope, { label: string; explanation: string }> = {
  full: { label: "Everything", explanation: "Also shares and deletes canvases, and changes their data." },
  deploy: {
    label: "Make and change",
    explanation: "Also makes canvases, publishes versions and changes settings.",
  },
  read: {
    label: "Look",
    explanation: "Reads canvases, their files and their data, and changes nothing.",
  },
};

/** What an access token is for: `/api` and `/v1`, or the tools of `/mcp`. */
export const TOKEN_AUDIENCES = ["api", "mcp"] as const;

export type TokenAudience = (typeof TOKEN_AUDIENCES)[number];

/** A named list of e-mail addresses that canvases can be shared with. */
export interface Team {
  id: string;
  name: string;
  createdAt: number;
  /** The id of the user who created the team. Only this user may change it. */
  createdBy: string;
  /** E-mail addresses in alphabetical order. */
  members: string[];
}

/** A person in a team. `name` is null if they have never signed in. */
export interface TeamPerson {
  email: string;
  name: string | null;
}

/** A team as `GET /api/teams/{id}` returns it. */
export interface TeamDetails extends Team {
  creator: TeamPerson;
  /** The members with their names, in the order of `members`. */
  people: TeamPerson[];
  /** The number of canvases that are shared with the team. */
  canvases: number;
}

/** The response of `GET /api/teams`; `nextCursor` is null on the last page. */
export interface TeamList {
  teams: Team[];
  nextCursor: string | null;
}

/** A user as administrators see them. */
export interface AdminUser {
  id: string;
  email: string;
  name: string;
  avatarUrl: string | null;
  createdAt: number;
  deactivatedAt: number | null;
  /** When the person last used the service, to the hour; null if that was before it was recorded. */
  lastSeenAt: number | null;
  canPublishPublic: boolean;
  isAdmin: boolean;
  /** Number of canvases that the user owns. */
  canvases: number;
  /** The quotas that are set for this user only, by name. If a quota is null, the quota of the instance applies to the user. */
  quotas: Record<PersonQuotaName, number | null>;
}

/** The response of `GET /api/admin/users`; `nextCursor` is null on the last page. */
export interface AdminUserList {
  users: AdminUser[];
  nextCursor: string | null;
}

/** A user as administrators see them, with what they use and what lets them in. */
export interface AdminUserDetails extends AdminUser {
  /** The use and the limit of each quota on what a person owns in all. */
  usage: PersonUsage["quotas"];
  /** The number of unexpired sessions. */
  sessions: number;
  /** The number of unexpired access tokens. */
  tokens: number;
  /** The number of unexpired connected tools. */
  apps: number;
}

/** A canvas that can be handed over. `editors` are at most 20 addresses of active members who edit it. */
export interface HandoverCanvas {
  id: string;
  slug: string;
  title: string;
  editors: string[];
}

/** A team that a person has created, with the number of its members. */
export interface HandoverTeam {
  id: string;
  name: string;
  members: number;
}

/** What a person owns. `nextCursor` continues the list of canvases; `teams` are all of them on each page. */
export interface HandoverPreview {
  canvases: HandoverCanvas[];
  nextCursor: string | null;
  teams: HandoverTeam[];
  sessions: number;
  tokens: number;
  apps: number;
}

/** What a handover has done. */
export interface HandoverResult {
  /** The number of canvases and teams that it has moved. */
  moved: number;
  /** The ids of canvases and teams that it could not move, and why. `quota` is the one that the new owner would exceed. */
  left: { id: string; code: "NOT_FOUND" | "QUOTA_EXCEEDED" | "KEY_LIMIT"; quota: PersonQuotaName | null }[];
  /** The number of canvases that the person still owns. */
  remaining: number;
  /** Whether the person is deactivated now. */
  deactivated: boolean;
}

/** A setting of the service. */
export interface ConfigSetting {
  /** The variable of the environment, or the name of a quota that only administrators set. */
  name: string;
  /** The value in effect as a text. A secret, and what is secret in a URL, is masked. */
  value: string;
  /** Where the value comes from. `instance`: administrators have set it. */
  source: "environment" | "default" | "instance";
  /** Whether administrators can change it without a restart. */
  changeable: boolean;
  /** Its place in the body of `settings.update`, such as `ai.userDailyUsd`; null unless it is changeable. */
  key: string | null;
  secret: boolean;
  /** The default, in words or as a value. */
  fallback: string;
  /** A sentence about it, with names in backticks. */
  meaning: string;
}

/** The response of `GET /api/admin/instance/config`. */
export interface InstanceConfig {
  settings: ConfigSetting[];
}

/** A part that the service needs, which has just been asked. */
export interface HealthPart {
  name: "database" | "blobs" | "bus" | "ai" | "connections" | "signIn";
  ok: boolean;
  ms: number;
  /** What it is, or what is wrong. */
  detail: string;
}

/** A process of the service. */
export interface HealthNode {
  id: string;
  version: string;
  startedAt: number;
  host: string;
  /** How many milliseconds its clock is ahead of that of the database. */
  skewMs: number;
  /** Its open realtime connections, a few seconds ago. */
  connections: number;
  /** Whether it is the one that has answered. */
  current: boolean;
}

/** The response of `GET /api/admin/instance/health`. */
export interface InstanceHealth {
  version: string;
  /** When the process that has answered started. */
  startedAt: number;
  nodes: HealthNode[];
  parts: HealthPart[];
  /** The disk of the data directory, in bytes; null if it cannot be measured. */
  disk: { free: number; total: number } | null;
  /** The name of the last migration of the database. */
  migrations: string;
  /** When the instance was last swept; null if never. */
  lastSweepAt: number | null;
}

/** What the list of people can show alone. */
export const USER_FILTERS = [
  "active",
  "deactivated",
  "ownersDeactivated",
  "quotasNear",
  "quotasOwn",
] as const;
export type UserFilter = (typeof USER_FILTERS)[number];

/** What the list of all canvases can show alone: a state, or those that expire within seven days. */
export type CanvasFilter = PublicationStatus | "sharesExpiring";

/** What needs the attention of administrators. */
export type AttentionKind =
  | "sharesExpiring"
  | "ownersDeactivated"
  | "quotasNear"
  | "connectionKeys"
  | "connectionsFailing";

/** The response of `GET /api/admin/instance/overview`. */
export interface InstanceOverview {
  /** The number of canvases in each state, deleted ones apart. */
  canvases: Record<PublicationStatus | "deleted", number>;
  people: {
    total: number;
    deactivated: number;
    /** Who has used the service within 30 days. */
    active30: number;
  };
  /** What bundles of canvases and uploaded files take. */
  bytes: { bundles: number; files: number };
  ai: { month: string; spent: number; reserved: number; limit: number | null };
  /** Kinds that do not occur are left out. `query` is that of the list that shows them. */
  attention: { kind: AttentionKind; count: number; query: string }[];
}

/** A canvas as administrators see it: without content, people, metadata or policy. */
export interface AdminCanvas {
  id: string;
  slug: string;
  url: string;
  title: string;
  owner: { id: string; email: string; name: string };
  access: Access;
  accessMode: Canvas["accessMode"];
  publicationStatus: PublicationStatus;
  createdAt: number;
  updatedAt: number;
  expiresAt: number | null;
  hasPassword: boolean;
  archivedAt: number | null;
  disabledAt: number | null;
  disabledReason: string | null;
  deletedAt: number | null;
  version: string | null;
}

/** The response of `GET /api/admin/canvases`; `nextCursor` is null on the last page. */
export interface AdminCanvasList {
  canvases: AdminCanvas[];
  nextCursor: string | null;
}

/** An organisation: its members are the users whose e-mail address has one of its domains. */
export interface Organisation {
  id: string;
  name: string;
  /** The domains in lower case, in alphabetical order. */
  domains: string[];
  createdAt: number;
  /** Number of members who have signed in and are not deactivated. */
  members: number;
}

/** Active people whose organisation a change would change: their number, and the first 20 by e-mail address. */
export interface MovedPeople {
  count: number;
  people: { id: string; email: string; name: string }[];
}

/** What it would mean if an organisation had other domains. */
export interface OrganisationPreview {
  /** Who would become a member. */
  joining: MovedPeople;
  /** Who would not be a member any more. */
  leaving: MovedPeople;
  /** The domains that are those of another organisation now, which would lose them. */
  taken: { domain: string; org: { id: string; name: string } }[];
  /** The number of canvases that all members may open. */
  canvases: number;
}

/** The response of `GET /api/admin/orgs`, sorted by id. */
export interface OrganisationList {
  orgs: Organisation[];
}

/** The response of `GET /api/admin/settings`: the settings that are in effect. The amounts in `ai` are in US dollars. */
export interface AdminSettings {
  publicLinks: boolean;
  /** The quotas by name, such as `kv.keys.shared`. */
  quotas: Record<string, number>;
  /** `instanceMonthlyUsd` is null if there is no such cap. */
  ai: {
    models: string[];
    userDailyUsd: number;
    canvasMonthlyUsd: number;
    guestUsd: number;
    instanceMonthlyUsd: number | null;
  };
}

/** An entry of the audit log. */
export interface AuditEntry {
  id: string;
  at: number;
  actor: { id: string; email: string };
  act: string;
  canvasId: string | null;
  /** The id or e-mail address of the changed object. Null if only the canvas itself was changed. */
  target: string | null;
  /** The IP address of the client. */
  address: string;
  details: Json;
  /** The AI tool that acted for the actor: the name of the program, and the tool of `/mcp` that it called. Null if the actor acted themselves. */
  via: Via | null;
}

/** An entry of the audit log in the list. */
export interface ListedAuditEntry extends AuditEntry {
  /** The title that the canvas has now. Null if it is deleted for good, or if the entry is not about a canvas. */
  canvasTitle: string | null;
}

/** The response of `GET /api/admin/audit`, newest first; `nextCursor` is null on the last page. */
export interface AuditLog {
  entries: ListedAuditEntry[];
  nextCursor: string | null;
}
