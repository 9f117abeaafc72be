import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { User } from "../access/principal.ts";
import type { CanvasData } from "../canvases/canvas-data.ts";
import { announceAccess } from "../canvases/open-connections.ts";
import { isToken, newId, newToken, tokenHash } from "../crypto/ids.ts";
import type { Dependent } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { isNavigation } from "../http/cross-site.ts";
import { logIds } from "../http/log.ts";
import type { HeaderSink } from "../http/rate-limit.ts";
import { cookiesNamed, type HasHeaders, hostOnly, setCookie } from "../http/request-headers.ts";
import { logSecurity } from "../http/security-log.ts";
import type { Identified, StoredCredential } from "./credential.ts";
import { guestOf, type InviteRow, inviteOf } from "./guests.ts";
import { type UserRow, userOf } from "./users.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The maximum age of a session if the settings have none: of people who can sign in again without being asked, and of all others. */
const MAX_DAYS_AT_PROVIDER = 7;
const MAX_DAYS = 90;

/** The part of the idle time after which a use extends the expiry. By default this is a day. */
const EXTENDED_AFTER = 1 / 14;

/** The time after which an unused session expires, in milliseconds. Each use extends the expiry, at most once in a 14th of it. */
const idleMs = ({ config }: Env): number => config.sessionIdleDays * DAY_MS;

/** The time after which a session ends however much it is used, in milliseconds. */
function maxMs(isGuest: boolean, { config }: Env): number {
  const atProvider = config.authMode === "oidc" && !isGuest;
  return (config.sessionMaxDays ?? (atProvider ? MAX_DAYS_AT_PROVIDER : MAX_DAYS)) * DAY_MS;
}

/** The sessions, of which those of guests belong to a canvas. */
export const sessionData: CanvasData = {
  tables: {
    sessions: { key: ["token_hash"], where: "invite_id in (select id from invites where canvas_id = ?)" },
  },
  people: {
    sessions: {
      ids: ["user_id"],
      erased: "removed",
      exported: {
        part: "sessions",
        columns: ["id", "created_at", "expires_at", "address", "user_agent"],
        order: ["id"],
      },
    },
  },
  cleanUps: [
    {
      what: "sessions",
      keptMs: 0,
      remove: (until, { db }) => db.withReserve.run`delete from sessions where expires_at <= ${until}`,
    },
  ],
};

/**
 * A row of the view `session_people`: a session, with the columns of its user if it is the session of a member, or of the invitation if it
 * is the session of a guest.
 */
type SessionRow = { session_id: string; started_at: number; expires_at: number } & UserRow &
  InviteRow &
  Dependent;

/** Returns the name of the session cookie. On https it has the prefix `__Host-`, so that no canvas host can set or shadow the cookie. */
export const sessionCookie = (secure: boolean) => hostOnly("easel_session", secure);

const cookie = ({ base: { secure } }: Env, token: string, maxAge: number) =>
  setCookie(sessionCookie(secure), token, { maxAge, secure });

/** Returns the session token in a `Cookie` header, or undefined if there is none or there are several that differ. */
export function sessionToken(header: string | undefined, secure: boolean): string | undefined {
  const [first, ...others] = cookiesNamed(header, sessionCookie(secure));
  return others.every((other) => other === first) ? first : undefined;
}

/**
 * Ends the current session of the browser and starts one for a user. `providerSid` is the id of the session at the provider, if it has said
 * one. Returns the `Set-Cookie` header.
 */
export async function startSession(
  user: User,
  request: FastifyRequest,
  env: Env,
  providerSid: string | null = null,
): Promise<string> {
  await endSession(request, env);
  const token = newToken();
  const now = env.clock();
  const invite = inviteOf(user);
  const agent = (request.headers["user-agent"] ?? "").slice(0, 300);
  const lifetime = Math.min(idleMs(env), maxMs(invite !== null, env));
  await env.db.withReserve.run`
    insert into sessions (token_hash, id, user_id, invite_id, created_at, expires_at, address, user_agent, provider_sid)
    values (${tokenHash(token)}, ${newId()}, ${invite === null ? user.id : null}, ${invite}, ${now},
      ${now + lifetime}, ${request.ip}, ${agent}, ${providerSid})`;
  env.metrics.signIns.add(1, user.kind);
  logSecurity("session.start", { kind: user.kind, ...sender(user.id, request) }, env, "a session has begun");
  return cookie(env, token, lifetime);
}

/**
 * Finds the user of the session of a request to the base host. Returns null if there is no valid session. If `reply` is given, extends the
 * expiry of a session that has been idle for long enough, up to its maximum age.
 */
export async function findSession(
  request: HasHeaders,
  reply: HeaderSink | null,
  env: Env,
): Promise<Identified<StoredCredential> | null> {
  const token = sessionToken(request.headers.cookie, env.base.secure);
  if (token === undefined || !isToken(token)) return null;
  const row = await env.db.getCached<SessionRow>`
    select session_people.*, 'person ' || coalesce(id, invite_id) as depends_on
    from session_people where token_hash = ${{ from: token, value: () => tokenHash(token) }}`;
  const session = validSession(row, env);
  if (row === undefined || session === null) return null;
  const now = env.clock();
  const end = Math.min(now + idleMs(env), endOf(row, env));
  if (reply !== null && end - row.expires_at > idleMs(env) * EXTENDED_AFTER) {
    await env.db.withReserve.run`update sessions set expires_at = ${end} where id = ${row.session_id}`;
    reply.header("set-cookie", cookie(env, token, end - now));
    session.credential.until = end;
  }
  return session;
}

/** Finds the user of a session by its id. Returns null if there is no valid session. */
export async function sessionById(id: string, env: Env): Promise<Identified<StoredCredential> | null> {
  return validSession(
    await env.db.getCached<SessionRow>`
      select session_people.*, 'person ' || coalesce(id, invite_id) as depends_on
      from session_people where session_id = ${id}`,
    env,
  );
}

/** Returns when a session reaches its maximum age. */
const endOf = (row: Pick<SessionRow, "started_at" | "invite_id">, env: Env): number =>
  row.started_at + maxMs(row.invite_id !== null, env);

/** Converts a row to its user. Returns null if there is no session or it has expired, its user is deactivated or its invitation is revoked. */
function validSession(row: Readonly<SessionRow> | undefined, env: Env): Identified<StoredCredential> | null {
  if (row === undefined) return null;
  const until = Math.min(row.expires_at, endOf(row, env));
  if (until <= env.clock()) return null;
  const user = row.invite_id === null ? userOf(row) : guestOf(row);
  return user && { user, credential: { kind: "session", id: row.session_id, until } };
}

/** Returns the fields of the security log for a person and their request. */
const sender = (person: string, request: FastifyRequest) => ({
  person,
  address: request.ip,
  ...logIds(request),
});

/** Ends every session whose token is in a cookie of the request. Returns the `Set-Cookie` header that deletes the cookie. */
export async function endSession(request: FastifyRequest, env: Env): Promise<string> {
  for (const token of cookiesNamed(request.headers.cookie, sessionCookie(env.base.secure))) {
    if (!isToken(token)) continue;
    const ended = await env.db.withReserve.returning<{ user_id: string | null; invite_id: string | null }>`
      delete from sessions where token_hash = ${tokenHash(token)} returning user_id, invite_id`;
    for (const { user_id, invite_id } of ended)
      logSecurity("session.end", sender(user_id ?? invite_id ?? "", request), env, "a session has ended");
    const people = ended.flatMap(({ user_id }) => user_id ?? []);
    if (ended.length > 0) await announceAccess({ people }, env);
  }
  return cookie(env, "", 0);
}

/** Lists the unexpired sessions of a user, newest first. Times are epoch milliseconds. */
export function listSessions(user: Pick<User, "id">, { db, clock }: Env) {
  return db.all<{ id: string; createdAt: number; expiresAt: number; address: string; userAgent: string }>`
    select id, created_at as "createdAt", expires_at as "expiresAt", address, user_agent as "userAgent"
    from sessions where user_id = ${user.id} and expires_at > ${clock()} order by id desc`;
}

/** A session of somebody. Times are epoch milliseconds. */
export interface SessionOfAnyone {
  id: string;
  createdAt: number;
  expiresAt: number;
  address: string;
  userAgent: string;
  /** The address of the person, or of the invitation of the guest. */
  email: string;
  guest: boolean;
}

/** Lists unexpired sessions of everyone, guests too, the oldest first: at most `limit` with ids after `after`. */
export async function listAllSessions(
  { after, limit }: { after: string; limit: number },
  { db, clock }: Env,
): Promise<SessionOfAnyone[]> {
  const rows = await db.all<Omit<SessionOfAnyone, "guest"> & { inviteId: string | null }>`
    select sessions.id, sessions.created_at as "createdAt", sessions.expires_at as "expiresAt", address, user_agent as "userAgent",
      coalesce(users.email, invites.email) as email, invite_id as "inviteId"
    from sessions left join users on users.id = user_id left join invites on invites.id = invite_id
    where sessions.id > ${after} and sessions.expires_at > ${clock()} order by sessions.id limit ${limit}`;
  return rows.map(({ inviteId, ...session }) => ({ ...session, guest: inviteId !== null }));
}

/** Ends one session of a user. Returns false if the user has no such session. */
export async function revokeSession(id: string, user: Pick<User, "id">, { db }: Env): Promise<boolean> {
  return (await db.withReserve.run`delete from sessions where id = ${id} and user_id = ${user.id}`) === 1;
}

/** Ends all sessions of a user except the one with the id `kept`, or all if it is null. Returns their number. */
export function revokeOtherSessions(
  kept: string | null,
  user: Pick<User, "id">,
  { db }: Env,
): Promise<number> {
  return db.withReserve.run`
    delete from sessions where user_id = ${user.id} and id <> ${kept ?? ""}`;
}

/**
 * The maximum age at which the cookie of a canvas host is accepted for loading a page. If the cookie is older, the browser is redirected to
 * the base host. That host checks the session and lets the canvas host set a new cookie.
 */
const NAVIGATION_MAX_AGE_MS = 24 * 60 * 60 * 1000;

const cookieName = ({ base }: Env) => hostOnly("easel_content", base.secure);

/** Returns the `Set-Cookie` header that signs a browser in on the host of one canvas, until the session ends. */
export function canvasSessionCookie(slug: string, sessionId: string, env: Env): string {
  const issued = String(env.clock());
  const value = [sessionId, issued, env.signer.sign("content", slug, sessionId, issued)].join(".");
  return setCookie(cookieName(env), value, { maxAge: idleMs(env), secure: env.base.secure });
}

/** Finds the user of the session of a request to the host of a canvas, by the cookie of that host. Returns null if there is no valid cookie. */
export async function findCanvasSession(
  slug: string,
  { headers, method }: IncomingMessage,
  env: Env,
): Promise<Identified<StoredCredential> | null> {
  for (const value of cookiesNamed(headers.cookie, cookieName(env))) {
    const [session = "", issued = "", signature = "", ...more] = value.split(".");
    if (more.length > 0 || !env.signer.verifies(signature, "content", slug, session, issued)) continue;
    const navigates = method === "GET" && isNavigation(headers);
    if (navigates && Number(issued) + NAVIGATION_MAX_AGE_MS < env.clock()) continue;
    const found = await sessionById(session, env);
    if (found !== null) return found;
  }
  return null;
}
