import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import type { HasHeaders } from "../http/has-headers.ts";
import { trustedUser } from "./identify.ts";
import { findSession } from "./session.ts";
import { bearerToken } from "./tokens.ts";
import { type UserRow, userOf } from "./users.ts";

/**
 * What an open connection keeps to authenticate its user again later: the headers of the request that opened it, and the expiry of a
 * proxy's signed token.
 */
export interface Identified extends HasHeaders {
  /** When the proxy's signed token expires, in epoch milliseconds. Infinity by default. */
  assertedUntil?: number;
}

/**
 * Checks whether the credentials of an earlier request are still valid. Returns the user with the data that is stored now, or null if the
 * session, access token or signed token has ended or the user is deactivated. An identity from plain headers of a proxy does not expire.
 */
export async function reauthenticate(user: User, request: Identified, env: Env): Promise<User | null> {
  const { assertedUntil = Number.POSITIVE_INFINITY } = request;
  const holds = user.guestOf === null && env.clock() < assertedUntil;
  const proxy = async () => (holds ? userById(user.id, env) : null);
  const now = await trustedUser(bearerToken(request), proxy, () => findSession(request, null, env), env);
  return now?.id === user.id ? now : null;
}

async function userById(id: string, { db }: Env): Promise<User | null> {
  return userOf(
    await db.getCached<UserRow>`
      select id, email, name, avatar_url, can_publish_public, deactivated_at from users where id = ${id}`,
  );
}
