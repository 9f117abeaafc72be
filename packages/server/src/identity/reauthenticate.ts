import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import type { HasHeaders } from "../http/has-headers.ts";
import { trustedUser } from "./identify.ts";
import { findSession } from "./session.ts";
import { bearerToken } from "./tokens.ts";
import { type UserRow, userOf } from "./users.ts";

/**
 * The headers of a request, by which its user was authenticated, and the expiry of a proxy's token. An open connection keeps them to
 * authenticate the user again.
 */
export interface Identified extends HasHeaders {
  /** When the proxy's signed token expires, in epoch milliseconds. Infinity by default. */
  assertedUntil?: number;
}

/**
 * Checks the credentials of an earlier request of a user again. Returns the user as stored now, or null if the session, access token or
 * signed token is no longer valid or the user is deactivated. The identity from plain headers of a proxy does not expire.
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
