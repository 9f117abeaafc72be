import type { Env } from "../env.ts";
import type { Headed } from "../kit/headed.ts";
import { trusted } from "./index.ts";
import { type Person, type PersonRow, personOf } from "./people.ts";
import { findSession } from "./session.ts";
import { bearerToken } from "./tokens.ts";

/**
 * Whom a connection that stays open still belongs to: null once the session or token that opened it has ended, or the person
 * is deactivated. What a proxy said of the request that opened it holds for as long as that person is there.
 */
export async function identifyAgain(person: Person, request: Headed, env: Env): Promise<Person | null> {
  const proxy = async () => (person.guestOf === null ? personById(person.id, env) : null);
  const now = await trusted(bearerToken(request), proxy, () => findSession(request, null, env), env);
  return now?.id === person.id ? now : null;
}

async function personById(id: string, { db }: Env): Promise<Person | null> {
  return personOf(
    await db.recall<PersonRow>`
      select id, email, name, avatar_url, can_publish_public, deactivated_at from users where id = ${id}`,
  );
}
