import { TOKEN_SCOPES, type TokenScope, type Via } from "@easel/protocol/management";
import type { CanvasRole } from "@easel/protocol/types";
import { type ManagementUse, tokenScopeObjection, type User } from "../access/principal.ts";
import { manages } from "../access/roles.ts";
import { findDeleted } from "../canvases/deletion.ts";
import { requireEnabled } from "../canvases/publication-status.ts";
import { type CanvasRow, findCanvas } from "../canvases/store.ts";
import { isId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import type { Method } from "../http/methods.ts";
import { refuse } from "../http/refusal.ts";
import type { Caller } from "../identity/credential.ts";
import { isAdmin, reauthenticate } from "../identity/identify.ts";
import { findTeamRow, type TeamRow } from "../organisation/teams.ts";
import { challengeAgain } from "../sign-in/challenge.ts";

/** The caller of acts (operations of the management API). */
export interface ActCaller extends Caller<User> {
  /** The IP address of the client, for the audit log. */
  address: string;
  /** The program and the tool through which the caller acts, for the audit log; null for other requests. */
  via: Via | null;
  /** The actor of the audit entry if it is not the user, with further details of the entry. Absent for requests. */
  recordedAs?: { actor: { id: string; email: string }; details: object };
  /**
   * Authenticates the caller again. If the session or token is no longer valid, throws the same error as for a request without credentials.
   */
  readmit(): Promise<ActCaller>;
}

/** Returns a signed-in user as the caller of acts. */
export const actCaller = (
  caller: Caller<User>,
  address: string,
  env: Env,
  via: Via | null = null,
): ActCaller => ({
  ...caller,
  address,
  via,
  async readmit() {
    const now = (await reauthenticate(caller, env)) ?? challengeAgain(caller, env);
    return actCaller({ ...caller, ...now }, address, env, via);
  },
});

/** The caller of an act, and its path parameters. */
interface Call extends Caller<User> {
  params: Record<string, string>;
}

/** A group of callers that may perform an act (an operation of the management API). */
interface CallerGroup {
  /** The members of the group in words, for the docs. */
  who: string;
  /** Whether a guest of a canvas can belong to the group. */
  guests: boolean;
  /**
   * Throws a `Refusal` if the caller is not in the group. `changes` is whether the act writes data. Returns what the check has read from
   * the database, such as `{ canvas }`.
   */
  authorize(call: Call, env: Env, changes: boolean): Promise<object>;
}

/** Throws 403 `PERMISSION_DENIED` for a request with an access token, so that no program creates or revokes credentials. */
async function requireSession({ credential }: Call): Promise<object> {
  if (credential?.kind !== "token") return {};
  return refuse("PERMISSION_DENIED", { message: "An access token cannot do this; sign in instead." });
}

/** Finds the canvas whose id is in the request path. Throws 404 `NOT_FOUND` if there is none or the caller has no role on it. */
async function canvasOf({ params: { id = "" }, user }: Call, env: Env): Promise<CanvasRow> {
  return (isId(id) ? await findCanvas(id, user, env) : undefined) ?? refuse("NOT_FOUND");
}

/** Throws 403 `OWNER_ONLY` for an editor who attempts something that only the owner may do (specification 7). */
export const refuseNonOwner = (): never =>
  refuse("OWNER_ONLY", { message: "Only the owner of this canvas may do this." }, 403);

/**
 * Requires that the caller has the role `role`, or a higher one, on the canvas in the request path. Throws 404 if the caller has no role,
 * 403 if the role is lower, and 409 if the act changes a disabled canvas.
 */
async function requireRole(role: CanvasRole, call: Call, env: Env, changes: boolean) {
  const canvas = await canvasOf(call, env);
  if (role === "viewer") return { canvas };
  if (!manages(canvas.role)) refuse("PERMISSION_DENIED");
  if (changes) requireEnabled(canvas);
  if (role === "owner" && canvas.role !== "owner") refuseNonOwner();
  return { canvas };
}

/** Finds the team whose id is in the request path. Throws 404 `NOT_FOUND` unless the caller created the team or is a member of it. */
async function requireTeam({ params: { id = "" }, user }: Call, env: Env): Promise<{ team: TeamRow }> {
  return { team: (isId(id) ? await findTeamRow(id, user, env) : undefined) ?? refuse("NOT_FOUND") };
}

/** The groups of callers, each with the function that checks whether a caller belongs to it. */
export const CALLERS = {
  everyone: {
    who: "everyone signed in, guests of a canvas included",
    guests: true,
    authorize: async () => ({}),
  },
  members: { who: "everyone signed in but guests", guests: false, authorize: async () => ({}) },
  session: {
    who: "members by their session: 403 `PERMISSION_DENIED` for an access token",
    guests: false,
    authorize: requireSession,
  },
  viewer: {
    who: "viewers, editors and the owner of the canvas",
    guests: false,
    authorize: (call, env, changes) => requireRole("viewer", call, env, changes),
  },
  editor: {
    who: "editors and the owner of the canvas",
    guests: false,
    authorize: (call, env, changes) => requireRole("editor", call, env, changes),
  },
  owner: {
    who: "the owner of the canvas: 403 `OWNER_ONLY` for an editor",
    guests: false,
    authorize: (call, env, changes) => requireRole("owner", call, env, changes),
  },
  formerOwner: {
    who: "the owner of the deleted canvas: 404 `NOT_FOUND` for everyone else",
    guests: false,
    async authorize({ params: { id = "" }, user }, env) {
      const deleted = (isId(id) ? await findDeleted(id, user.id, env) : undefined) ?? refuse("NOT_FOUND");
      requireEnabled(deleted);
      return { deleted };
    },
  },
  teamMember: {
    who: "the creator and the members of the team: 404 `NOT_FOUND` for everyone else",
    guests: false,
    authorize: requireTeam,
  },
  teamCreator: {
    who: "the creator of the team: 403 `PERMISSION_DENIED` for its members",
    guests: false,
    async authorize(call, env) {
      const { team } = await requireTeam(call, env);
      if (team.createdBy === call.user.id) return { team };
      return refuse("PERMISSION_DENIED", { message: "Only the creator of a team may change it." });
    },
  },
  administrator: {
    who: "administrators: 403 `PERMISSION_DENIED` for everyone else",
    guests: false,
    async authorize({ user }, env) {
      if (isAdmin(user, env)) return {};
      return refuse("PERMISSION_DENIED", { message: "Only administrators of this instance may do this." });
    },
  },
} as const satisfies Record<string, CallerGroup>;

export type CallerName = keyof typeof CALLERS;

/** What `authorize` of a caller group returns to the act, such as `{ canvas }` for `editor` or `{ team }` for `teamMember`. */
export type Granted<Name extends CallerName> = Awaited<ReturnType<(typeof CALLERS)[Name]["authorize"]>>;

/** The part of an act that decides which access tokens may perform it. */
export interface TokenScoped {
  method: Method;
  /** The path, with the parameters in braces, such as `/api/canvases/{id}`. */
  path: string;
  /** The group of callers that may perform the act. */
  allow: CallerName;
  /**
   * Whether access tokens with the scope `deploy` may perform the act, or the fields of the body that they may set. By default they may
   * perform every GET that is not for administrators only.
   */
  deploys?: boolean | readonly string[];
  /** Whether access tokens with the scope `read` may perform the act, although it is no GET, because all that it gives is reading. */
  reads?: true;
  /**
   * Whether access tokens that are valid for one canvas may perform the act, although its path names no canvas. The act then leaves out
   * all other canvases.
   */
  ofAnyCanvas?: true;
}

/** The paths of acts on one canvas, whose id is the parameter `id`. */
const CANVAS_PATH = /^\/api\/canvases\/\{id\}(\/|$)/;

const useOf = ({ method, allow, deploys, reads: givesReading }: TokenScoped): ManagementUse => {
  const reads = method === "GET" || givesReading === true;
  return { reads, deploys: deploys === undefined ? reads && allow !== "administrator" : deploys !== false };
};

/** Returns the scopes of the access tokens that may perform an act. */
export const tokenScopesOf = (act: TokenScoped): TokenScope[] =>
  act.allow === "session"
    ? []
    : TOKEN_SCOPES.filter((scope) => tokenScopeObjection({ scope, canvasId: null }, useOf(act)) === null);

/**
 * Throws if the access token of a call does not allow the act: 404 `NOT_FOUND` if the act is on another canvas than that of the token, as
 * for a caller without a role, otherwise 403 `PERMISSION_DENIED`. Does nothing for callers without a restricted token.
 */
export function requireTokenScope({ user: { restriction }, params }: Call, act: TokenScoped): void {
  if (restriction === null) return;
  if (restriction.canvasId !== null && act.ofAnyCanvas !== true) {
    if (!CANVAS_PATH.test(act.path)) deny("This access token is for one canvas.");
    if (params.id !== restriction.canvasId) refuse("NOT_FOUND");
  }
  const objection = tokenScopeObjection(restriction, useOf(act));
  if (objection !== null) deny(objection);
}

/**
 * Throws 403 `PERMISSION_DENIED` if the body of a call sets a field that the scope `deploy` does not include. Does nothing for callers
 * without an access token of that scope.
 */
export function requireFields(
  { user: { restriction } }: Caller<User>,
  { deploys }: TokenScoped,
  body: unknown,
): void {
  if (restriction?.scope !== "deploy" || !Array.isArray(deploys)) return;
  const other = Object.keys(Object(body)).find((field) => !deploys.includes(field));
  if (other !== undefined) deny(`This access token can only deploy. It cannot set \`${other}\`.`);
}

const deny = (message: string): never => refuse("PERMISSION_DENIED", { message });
