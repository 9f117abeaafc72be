import { nameOf } from "../access/email.ts";
import type { User } from "../access/principal.ts";
import { newId } from "../crypto/ids.ts";
import type { Db } from "../drivers/db/db.ts";

/** A row of `users`, as the queries of sessions and people select it. */
export interface UserRow {
  id: string;
  email: string;
  name: string;
  avatar_url: string | null;
  can_publish_public: number;
  deactivated_at: number | null;
}

/** Null for someone who has been deactivated. */
export function userOf(row: Readonly<UserRow> | undefined): User | null {
  if (row === undefined || row.deactivated_at !== null) return null;
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    avatarUrl: row.avatar_url,
    canPublishPublic: row.can_publish_public === 1,
    guestOf: null,
  };
}

/** What someone else calls a person, fit to be kept: no control characters, at most 200 long. Null when nothing is left. */
export function cleanName(given: unknown): string | null {
  if (typeof given !== "string") return null;
  const name = given
    .replace(/\p{Cc}/gu, "")
    .trim()
    .slice(0, 200)
    .toWellFormed();
  return name === "" ? null : name;
}

/** The person with this address, made at their first sign-in; null when they are deactivated. */
export async function upsertUser(
  db: Db,
  email: string,
  name: string | null,
  now: number,
): Promise<User | null> {
  const find = () => db.getCached<UserRow>`
    select id, email, name, avatar_url, can_publish_public, deactivated_at from users where email = ${email}`;
  const known = await find();
  if (known === undefined) {
    await db.run`
      insert into users (id, email, name, created_at) values (${newId()}, ${email}, ${name ?? nameOf(email)}, ${now})
      on conflict (email) do nothing`;
  } else if (name !== null && name !== known.name) {
    await db.run`update users set name = ${name} where id = ${known.id}`;
  } else {
    return userOf(known);
  }
  return userOf(await find());
}
