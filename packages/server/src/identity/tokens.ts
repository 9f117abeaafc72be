import type { User } from "../access/principal.ts";
import { isToken, newId, newToken, tokenHash } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import type { HasHeaders } from "../http/has-headers.ts";
import { type UserRow, userOf } from "./users.ts";

const PREFIX = "easel_pat_";

/** The shortest interval between two recorded uses of a token, and so the precision of `usedAt`. */
const USE_INTERVAL_MS = 60_000;

/**
 * A personal access token as its user sees it. Times are epoch milliseconds. `expiresAt` is null if the token never expires, `usedAt` if it
 * was never used.
 */
export interface AccessToken {
  id: string;
  name: string;
  createdAt: number;
  expiresAt: number | null;
  usedAt: number | null;
}

type TokenRow = UserRow & { token_id: string; expires_at: number | null; used_at: number | null };

/** Returns the personal access token of a request without checking whether it is valid. Returns undefined if there is none. */
export function bearerToken({ headers: { authorization } }: HasHeaders): string | undefined {
  return /^bearer +(easel_pat_.*)$/i.exec(authorization ?? "")?.[1];
}

/** Returns the user of a personal access token. Returns null if the token is unknown or has expired, or the user is deactivated. */
export async function tokenUser(token: string, env: Env): Promise<User | null> {
  const secret = token.slice(PREFIX.length);
  if (!isToken(secret)) return null;
  const row = await env.db.getCached<TokenRow>`
    select users.id, email, users.name, avatar_url, can_publish_public, deactivated_at, tokens.id as token_id,
      expires_at, used_at
    from tokens join users on users.id = tokens.user_id
    where token_hash = ${{ from: secret, value: () => tokenHash(secret) }}`;
  const now = env.clock();
  if (row === undefined || (row.expires_at !== null && row.expires_at <= now)) return null;
  if (row.used_at === null || row.used_at < now - USE_INTERVAL_MS) recordUse(row.token_id, now, env);
  return userOf(row);
}

/** Records that a token was used, without waiting for the database. A failure is only logged. */
function recordUse(id: string, now: number, { db, log }: Env): void {
  db.run`update tokens set used_at = ${now} where id = ${id}`.catch((error) =>
    log.warn({ err: error }, "recording the use of a token failed"),
  );
}

/** Creates a personal access token. Returns its id and its text, of which only a hash is stored. */
export async function createToken(
  user: User,
  { name, expiresAt }: { name: string; expiresAt: number | null },
  { db, clock }: Env,
): Promise<{ id: string; token: string }> {
  const id = newId();
  const secret = newToken();
  await db.run`
    insert into tokens (id, user_id, name, token_hash, created_at, expires_at)
    values (${id}, ${user.id}, ${name}, ${tokenHash(secret)}, ${clock()}, ${expiresAt})`;
  return { id, token: PREFIX + secret };
}

/** Lists the personal access tokens of a user, newest first. */
export function listTokens(user: User, { db }: Env): Promise<AccessToken[]> {
  return db.all<AccessToken>`
    select id, name, created_at as "createdAt", expires_at as "expiresAt", used_at as "usedAt"
    from tokens where user_id = ${user.id} order by id desc`;
}

/** Deletes a personal access token. Returns false if the user has no such token. */
export async function deleteToken(id: string, user: User, { db }: Env): Promise<boolean> {
  return (await db.run`delete from tokens where id = ${id} and user_id = ${user.id}`) === 1;
}
