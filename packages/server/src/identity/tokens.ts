import { LIMITS } from "@easel/protocol/limits";
import {
  TOKEN_SCOPES,
  type TokenAudience,
  type TokenInfo,
  type TokenScope,
} from "@easel/protocol/management";
import type { Restriction, User } from "../access/principal.ts";
import type { CanvasData } from "../canvases/canvas-data.ts";
import { lockUser } from "../canvases/owner-quotas.ts";
import type { Config } from "../config/config.ts";
import { isToken, newId, newToken, tokenHash } from "../crypto/ids.ts";
import {
  type Dependent,
  type NamedStep,
  optional,
  type Sql,
  StaleRows,
  sql,
  step,
} from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { type Paged, paged } from "../http/query.ts";
import { refuse, refuseAnonymous } from "../http/refusal.ts";
import type { HasHeaders } from "../http/request-headers.ts";
import { logSecurity } from "../http/security-log.ts";
import type { Caller, Identified } from "./credential.ts";
import { lockCredential } from "./lock-credential.ts";
import { type UserRow, userOf } from "./users.ts";

/** The start of the texts of access tokens. */
const PREFIXES: Record<TokenAudience, string> = { api: "easel_pat_", mcp: "easel_mcp_" };

/**
 * The start of the secrets of restricted tokens. Versions of the service that do not know restrictions reject such secrets, so that a
 * downgrade gives no token more rights. The stored hash includes it.
 */
const RESTRICTED = "limited_";

/** The shortest interval between two recorded uses of a token, and so the precision of `usedAt`. */
const USE_INTERVAL_MS = 60_000;

/** The access tokens, of which some are for one canvas. */
export const tokenData: CanvasData = {
  tables: { tokens: { key: ["id"] } },
  people: {
    tokens: {
      ids: ["user_id"],
      erased: "removed",
      exported: {
        part: "tokens",
        columns: ["id", "name", "scope", "canvas_id", "audience", "created_at", "expires_at", "used_at"],
        order: ["id"],
      },
    },
  },
};

/** What a user chooses for a new access token. By default it is valid for every canvas, has all rights of the user and never expires. */
export interface TokenFields {
  name: string;
  /** When the token expires, in epoch milliseconds. */
  expiresAt?: number | null;
  scope?: TokenScope;
  canvasId?: string | null;
}

type TokenRow = UserRow &
  Dependent & {
    token_id: string;
    expires_at: number | null;
    used_at: number | null;
    scope: string;
    canvas_id: string | null;
    audience: TokenAudience;
  };

const isScope = (text: string): text is TokenScope => TOKEN_SCOPES.some((scope) => scope === text);

/** The start of the secrets of tokens for `/mcp`. The stored hash includes it, so the secret is none of a personal access token. */
const FOR_TOOLS = "mcp_";

/** Returns the secret of an access token, whose hash is stored. Returns null if the text is not an access token. */
function secretOf(token: string): string | null {
  const [, audience, text = ""] = /^easel_(pat|mcp)_(.*)$/is.exec(token) ?? [];
  if (audience?.toLowerCase() === "mcp") return isToken(text) ? FOR_TOOLS + text : null;
  const random = text.startsWith(RESTRICTED) && text.length > 43 ? text.slice(RESTRICTED.length) : text;
  return isToken(random) ? text : null;
}

/** Whether the service accepts access tokens. It does not if a sign-in proxy signs every request. */
export const acceptsTokens = ({ authMode, proxyJwksUrl }: Config): boolean =>
  authMode !== "proxy" || proxyJwksUrl === null;

/**
 * Returns the access token of a request, for either audience, without checking whether it is valid. Returns undefined if there is none.
 */
export function bearerToken({ headers: { authorization } }: HasHeaders): string | undefined {
  return /^bearer +(easel_(?:pat|mcp)_.*)$/i.exec(authorization ?? "")?.[1];
}

/**
 * Returns the user of an access token, with the restriction of the token. Returns null if the token or its scope is unknown, the token is for
 * another audience or has expired, or the user is deactivated.
 */
export async function tokenUser(
  token: string,
  env: Env,
  audience: TokenAudience = "api",
): Promise<Identified | null> {
  const row = await findToken(token, env);
  return row?.audience === audience ? validToken(row, env) : null;
}

/** Returns the same as `tokenUser` for the id of a token. */
export const tokenUserById = async (id: string, env: Env): Promise<Identified | null> =>
  validToken(
    await env.db.getCached<TokenRow>`
      select users.id, email, users.name, avatar_url, can_publish_public, deactivated_at, listed_as, admin_group, groups_key,
      tokens.id as token_id,
        expires_at, used_at, scope, canvas_id, audience, 'person ' || users.id as depends_on
      from tokens join users on users.id = tokens.user_id
      where tokens.id = ${id}`,
    env,
  );

function validToken(row: Readonly<TokenRow> | undefined, env: Env): Identified | null {
  const now = env.clock();
  if (row === undefined || hasExpired(row, now) || !isScope(row.scope)) return null;
  const { token_id: id, expires_at: until, used_at: usedAt } = row;
  if (usedAt === null) void recordFirstUse(row, now, env);
  else if (usedAt < now - USE_INTERVAL_MS)
    void recordUse(sql`update tokens set used_at = ${now} where id = ${id}`, env);
  const user = userOf(row);
  return (
    user && {
      // The scope of a connected tool is that of the tools of /mcp that it may call. Each of them acts with its own.
      user: {
        ...user,
        restriction: restrictionOf(row.audience === "mcp" ? "full" : row.scope, row.canvas_id),
      },
      credential: { kind: "token", id, until: until ?? Number.POSITIVE_INFINITY },
    }
  );
}

/**
 * Returns the value of `WWW-Authenticate` for the response to a request of `/api` or `/v1` with an invalid access token (RFC 6750, section 3).
 * It tells programs whether the token has expired, or is for `/mcp`. Tokens that do not exist and tokens of deactivated users are not distinguished.
 */
export async function tokenChallenge(token: string, env: Env): Promise<string> {
  const row = await findToken(token, env);
  let fault = "is invalid or was revoked";
  if (row !== undefined && userOf(row) !== null) {
    if (hasExpired(row, env.clock())) fault = "has expired";
    else if (row.audience === "mcp") fault = "is for the tools of /mcp, and not for this address";
  }
  return `Bearer error="invalid_token", error_description="The access token ${fault}."`;
}

const hasExpired = ({ expires_at: end }: TokenRow, now: number): boolean => end !== null && end <= now;

const restrictionOf = (scope: TokenScope, canvasId: string | null): Restriction | null =>
  scope === "full" && canvasId === null ? null : { scope, canvasId };

/** Finds a token with its user. Returns undefined if there is none. */
async function findToken(token: string, { db }: Env): Promise<Readonly<TokenRow> | undefined> {
  const secret = secretOf(token);
  if (secret === null) return undefined;
  return db.getCached<TokenRow>`
    select users.id, email, users.name, avatar_url, can_publish_public, deactivated_at, listed_as, admin_group, groups_key,
      tokens.id as token_id,
      expires_at, used_at, scope, canvas_id, audience, 'person ' || users.id as depends_on
    from tokens join users on users.id = tokens.user_id
    where token_hash = ${{ from: secret, value: () => tokenHash(secret) }}`;
}

/** Records that a token was used, without waiting for the database. A failure is only logged. */
async function recordUse(update: Sql, { db, log }: Env): Promise<boolean> {
  try {
    return (await db.withReserve.run(...update)) === 1;
  } catch (error) {
    // The call is repeated, and records the use then.
    if (!(error instanceof StaleRows)) log.warn({ err: error }, "recording the use of a token failed");
    return false;
  }
}

/** Records the first use of a token, also in the security log. Of several requests at the same time, one does. */
async function recordFirstUse(
  { token_id: token, id: person, audience }: Pick<TokenRow, "token_id" | "id" | "audience">,
  now: number,
  env: Env,
): Promise<void> {
  const update = sql`update tokens set used_at = ${now} where id = ${token} and used_at is null`;
  if (await recordUse(update, env))
    logSecurity(
      "token.first-use",
      { token, person, audience },
      env,
      "an access token is used for the first time",
    );
}

/**
 * Makes a new personal access token of a user. Returns its id, its text and the statement that stores it. Only a hash of the text is
 * stored. The statement changes no row if the user has no role on the canvas `canvasId`.
 */
export function newAccessToken(
  user: Pick<User, "id" | "email">,
  { name, expiresAt = null, scope = "full", canvasId = null }: TokenFields,
  { clock }: Pick<Env, "clock">,
): { id: string; token: string; insert: Sql } {
  const id = newId();
  const secret = (restrictionOf(scope, canvasId) === null ? "" : RESTRICTED) + newToken();
  const insert = sql`
    insert into tokens (id, user_id, name, token_hash, created_at, expires_at, scope, canvas_id)
    select cast(${id} as text), cast(${user.id} as text), cast(${name} as text), cast(${tokenHash(secret)} as text),
      cast(${clock()} as bigint), cast(${expiresAt} as bigint), cast(${scope} as text), cast(${canvasId} as text)
    where cast(${canvasId} as text) is null or exists (select 1 from canvases where id = ${canvasId} and deleted_at is null
      and (owner_id = ${user.id} or id in (select canvas_id from grants where email = ${user.email})))`;
  return { id, token: PREFIXES.api + secret, insert };
}

/**
 * Makes a new access token of a connected tool for `/mcp`. Returns its id, its text and the statement that stores it. Only a hash of the text
 * is stored. The statement changes no row if the connected tool of the user has ended.
 */
export function newAppToken(
  appId: string,
  { expiresAt }: { expiresAt: number | null },
  { clock }: Pick<Env, "clock">,
): { id: string; token: string; insert: Sql } {
  const id = newId();
  const random = newToken();
  const insert = sql`
    insert into tokens (id, user_id, name, token_hash, created_at, expires_at, scope, canvas_id, audience, app_id)
    select cast(${id} as text), user_id, client_name, cast(${tokenHash(FOR_TOOLS + random)} as text), cast(${clock()} as bigint),
      cast(${expiresAt} as bigint), scope, canvas_id, 'mcp', id
    from apps where id = ${appId} and (expires_at is null or expires_at > ${clock()})`;
  return { id, token: PREFIXES.mcp + random, insert };
}

/**
 * Builds the steps of a batch that makes room for a new token of a user: they lock the user, remove the oldest expired tokens, and change
 * no row, which rolls back the batch, if the user has as many tokens as one person may.
 */
export const tokenRoomSteps = (userId: string, { clock }: Pick<Env, "clock">): NamedStep<"full" | null>[] => {
  const now = clock();
  return [
    step("full", lockUser(userId)),
    optional`delete from tokens where user_id = ${userId} and app_id is null and expires_at <= ${now} and id not in (
      select id from tokens where user_id = ${userId} and app_id is null and expires_at <= ${now}
      order by id desc limit ${LIMITS.expiredTokensPerPerson.value})`,
    step(
      "full",
      sql`update users set name = name where id = ${userId} and (select count(*) from tokens
        where user_id = ${userId} and app_id is null and (expires_at is null or expires_at > ${now})) < ${LIMITS.tokensPerPerson.value}`,
    ),
  ];
};

/** Throws 409 `KEY_LIMIT` if a user has as many unexpired tokens as one person may. */
export async function requireTokenRoom({ id }: Pick<User, "id">, { db, clock }: Env): Promise<void> {
  const row = await db.get<{ tokens: number }>`
    select count(*) as tokens from tokens where user_id = ${id} and app_id is null and (expires_at is null or expires_at > ${clock()})`;
  if (Number(row?.tokens) >= LIMITS.tokensPerPerson.value) refuseTooMany();
}

/** Throws 409 `KEY_LIMIT` with the limit of tokens. */
const refuseTooMany = (): never =>
  refuse("KEY_LIMIT", {
    message: `You have ${LIMITS.tokensPerPerson.value} access tokens, which is as many as one person may have. End one on the page /tokens.`,
  });

/**
 * Creates a personal access token of a caller. Returns its id and its text. Throws 404 `NOT_FOUND` if the user has no role on `canvasId`, 409
 * `KEY_LIMIT` if the user has too many tokens, and 401 if the credential of the caller has ended.
 */
export async function createToken(
  caller: Pick<Caller<User>, "user" | "credential">,
  fields: TokenFields,
  env: Env,
): Promise<{ id: string; token: string }> {
  const { user } = caller;
  const { id, token, insert } = newAccessToken(user, fields, env);
  const steps = [...tokenRoomSteps(user.id, env), lockCredential(caller, env), insert];
  const outcome = await env.db.batch(steps);
  if (outcome === "full") refuseTooMany();
  if (outcome === "ended") refuseAnonymous();
  return outcome === "done" ? { id, token } : refuse("NOT_FOUND");
}

/** Returns a personal access token of a user. Returns undefined if the user has no such token. */
export async function readToken(id: string, user: User, env: Env): Promise<TokenInfo | undefined> {
  return (await selectTokens(user, { cursor: AFTER_ALL, limit: 1, id }, env))[0];
}

/** Reads a page of the personal access tokens of a user with ids below `cursor`, newest first. */
export async function listTokens(
  user: User,
  { cursor, limit }: { cursor: string; limit: number },
  env: Env,
): Promise<Paged<TokenInfo>> {
  const rows = await selectTokens(user, { cursor, limit: limit + 1, id: null }, env);
  return paged(rows, limit, ({ id }) => id);
}

/** Sorts after every id of a token. */
const AFTER_ALL = "z";

/** Reads tokens of a user, newest first: with ids below `cursor`, and only the one with this `id` unless it is null. */
async function selectTokens(
  user: User,
  { cursor, limit, id }: { cursor: string; limit: number; id: string | null },
  { db }: Env,
): Promise<TokenInfo[]> {
  type Row = Omit<TokenInfo, "canvas"> & Record<"canvasId" | "title" | "slug", string | null>;
  const rows = await db.all<Row>`
    select tokens.id, name, scope, tokens.created_at as "createdAt", tokens.expires_at as "expiresAt", used_at as "usedAt",
      tokens.canvas_id as "canvasId", title, slug
    from tokens left join canvases on canvases.id = tokens.canvas_id and deleted_at is null
      and (owner_id = ${user.id} or canvases.id in (select canvas_id from grants where email = ${user.email}))
    where user_id = ${user.id} and app_id is null and (cast(${id} as text) is null or tokens.id = ${id})
      and tokens.id < ${cursor}
    order by tokens.id desc limit ${limit}`;
  return rows.map(({ canvasId, title, slug, ...token }) => ({
    ...token,
    canvas: canvasId === null ? null : { id: canvasId, title, slug },
  }));
}

/** Deletes a personal access token. Returns false if the user has no such token. */
export async function deleteToken(id: string, user: User, { db }: Env): Promise<boolean> {
  return (
    (await db.withReserve
      .run`delete from tokens where id = ${id} and user_id = ${user.id} and app_id is null`) === 1
  );
}

/**
 * Returns the id of the client that has got an access token as a connected tool. Returns null if there is no such token, or none that a client has
 * got.
 */
export async function clientOfToken(token: string, env: Env): Promise<string | null> {
  const found = await findToken(token, env);
  const row =
    found &&
    (await env.db.get<{ client_id: string }>`
      select client_id from tokens join apps on apps.id = app_id where tokens.id = ${found.token_id} and client_id <> apps.id`);
  return row?.client_id ?? null;
}

/**
 * Deletes the access token with a text, and the connected tool that consists of it alone. Returns its id and its user, or null if there is
 * none.
 */
export async function deleteTokenByText(
  token: string,
  env: Env,
): Promise<{ id: string; user: { id: string; email: string } } | null> {
  const row = await findToken(token, env);
  if (row === undefined) return null;
  const outcome = await env.db.withReserve.batch([
    step("gone", sql`delete from tokens where id = ${row.token_id}`),
    optional`delete from apps where user_id = ${row.id} and client_id = id
      and not exists (select 1 from tokens where app_id = apps.id)`,
  ]);
  if (outcome !== "done") return null;
  return { id: row.token_id, user: { id: row.id, email: row.email } };
}
