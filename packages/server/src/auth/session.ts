import { stringifySetCookie } from "cookie";
import type { Env } from "../env.ts";
import { isToken, newId, newToken, tokenHash } from "../kit/ids.ts";
import { type Person, type PersonRow, personOf } from "./people.ts";

const DAY = 24 * 60 * 60 * 1000;
const LIFETIME = 14 * DAY;

/** `__Host-` where browsers honour it: then no canvas host can set or shadow the cookie. */
export const sessionCookie = (secure: boolean) => (secure ? "__Host-easel_session" : "easel_session");

/** The token of a `Cookie` header; undefined when there is none, or several that differ. */
export function sessionToken(header: string | undefined, secure: boolean): string | undefined {
  if (header === undefined) return undefined;
  const name = `${sessionCookie(secure)}=`;
  let found: string | undefined;
  for (let start = 0, end: number; start <= header.length; start = end + 1) {
    end = header.indexOf(";", start);
    if (end === -1) end = header.length;
    const pair = header.slice(start, end).trim();
    if (!pair.startsWith(name)) continue;
    if (found !== undefined && found !== pair) return undefined;
    found = pair;
  }
  return found?.slice(name.length);
}

const cookie = (env: Env, value: string, maxAge: number) =>
  stringifySetCookie({
    name: sessionCookie(env.base.secure),
    value,
    maxAge,
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure: env.base.secure,
  });

/** Starts a session; answers the `Set-Cookie` header. */
export async function startSession(person: Person, env: Env): Promise<string> {
  const token = newToken();
  const now = env.clock();
  await env.db.run`
    insert into sessions (token_hash, id, user_id, created_at, expires_at, address, user_agent)
    values (${tokenHash(token)}, ${newId()}, ${person.id}, ${now}, ${now + LIFETIME}, '', '')`;
  return cookie(env, token, LIFETIME / 1000);
}

/** Who holds this token now; null when the session has ended or the person is deactivated. */
export async function sessionPerson(token: string, env: Env): Promise<Person | null> {
  if (!isToken(token)) return null;
  const row = await env.db.recall<PersonRow & { expires_at: number }>`
    select users.id, email, name, avatar_url, can_publish_public, deactivated_at, expires_at
    from sessions join users on users.id = sessions.user_id where token_hash = ${{ from: token, value: () => tokenHash(token) }}`;
  return row === undefined || row.expires_at <= env.clock() ? null : personOf(row);
}

/** Ends a session, if there is one; answers the `Set-Cookie` header that clears the cookie. */
export async function endSession(token: string | undefined, env: Env): Promise<string> {
  if (token !== undefined) await env.db.run`delete from sessions where token_hash = ${tokenHash(token)}`;
  return cookie(env, "", 0);
}
