import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import type { Headed } from "../http/headed.ts";
import { trusted } from "./identify.ts";
import { findSession } from "./session.ts";
import { bearerToken } from "./tokens.ts";
import { type UserRow, userOf } from "./users.ts";

/** A request that was admitted, or what an open connection keeps of it. */
export interface Identified extends Headed {
  /** When a proxy's signed token ends to count, in epoch milliseconds. */
  assertedUntil?: number;
}

/**
 * Identifies the sender of an admitted request again: null once the session, access token or signed token of the proxy has ended,
 * or the person is deactivated. What a proxy said in headers holds for as long as that person is there.
 */
export async function reauthenticate(user: User, request: Identified, env: Env): Promise<User | null> {
  const { assertedUntil = Number.POSITIVE_INFINITY } = request;
  const holds = user.guestOf === null && env.clock() < assertedUntil;
  const proxy = async () => (holds ? userById(user.id, env) : null);
  const now = await trusted(bearerToken(request), proxy, () => findSession(request, null, env), env);
  return now?.id === user.id ? now : null;
}

async function userById(id: string, { db }: Env): Promise<User | null> {
  return userOf(
    await db.getCached<UserRow>`
      select id, email, name, avatar_url, can_publish_public, deactivated_at from users where id = ${id}`,
  );
}
