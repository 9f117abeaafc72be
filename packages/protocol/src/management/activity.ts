import type { Json } from "../types.ts";

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
  "canvas.renew-invite",
  "canvas.uninvite",
  "canvas.transfer",
  "canvas.reassign",
  "canvas.take",
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
