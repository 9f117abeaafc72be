import type { Env } from "../env.ts";
import type { Headed } from "../kit/headed.ts";
import { type Person, type PersonRow, personOf } from "./people.ts";
import { findSession } from "./session.ts";
import { bearerToken, tokenPerson } from "./tokens.ts";

/**
 * Whom a connection that stays open still belongs to: null once the session or token that opened it has ended, or the person
 * is deactivated. What a proxy said of the request that opened it holds for as long as that person is there.
 */
export async function identifyAgain(person: Person, request: Headed, env: Env): Promise<Person | null> {
  const { authMode, proxyJwksUrl } = env.config;
  const token = authMode === "proxy" && proxyJwksUrl !== null ? undefined : bearerToken(request);
  const asserted = authMode === "proxy" && token === undefined && person.guestOf === null;
  const now = asserted
    ? await personById(person.id, env)
    : token === undefined
      ? ((await findSession(request, null, env))?.person ?? null)
      : await tokenPerson(token, env);
  return now?.id === person.id ? now : null;
}

async function personById(id: string, { db }: Env): Promise<Person | null> {
  return personOf(
    await db.recall<PersonRow>`
      select id, email, name, avatar_url, can_publish_public, deactivated_at from users where id = ${id}`,
  );
}
