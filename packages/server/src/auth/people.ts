import type { Db } from "../drivers/db/db.ts";
import { newId } from "../kit/ids.ts";

/** Someone who has signed in. */
export interface Person {
  id: string;
  email: string;
  name: string;
  avatarUrl: string | null;
  canPublishPublic: boolean;
}

/** A row of `users`, as the queries of sessions and people select it. */
export interface PersonRow {
  id: string;
  email: string;
  name: string;
  avatar_url: string | null;
  can_publish_public: number;
  deactivated_at: number | null;
}

/** Null for someone who has been deactivated. */
export function personOf(row: Readonly<PersonRow> | undefined): Person | null {
  if (row === undefined || row.deactivated_at !== null) return null;
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    avatarUrl: row.avatar_url,
    canPublishPublic: row.can_publish_public === 1,
  };
}

const EMAIL = /^[^\s\p{Cc}\p{Cf}@,;<>"]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/u;

/** An address as it is kept and compared: lower case. Null when it is none, or outside the allowed domains. */
export function normalEmail(given: string, allowedDomains: string[] = []): string | null {
  // Only ASCII letters change: other letters would turn into those of somebody else's address.
  const email = given.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (email.length > 254 || !EMAIL.test(email)) return null;
  const domain = email.slice(email.indexOf("@") + 1);
  return allowedDomains.length === 0 || allowedDomains.some((each) => each.toLowerCase() === domain)
    ? email
    : null;
}

/** The person with this address, made at their first sign-in; null when they are deactivated. */
export async function arrive(
  db: Db,
  email: string,
  name: string | null,
  now: number,
): Promise<Person | null> {
  const find = () => db.recall<PersonRow>`
    select id, email, name, avatar_url, can_publish_public, deactivated_at from users where email = ${email}`;
  const known = await find();
  if (known === undefined) {
    await db.run`
      insert into users (id, email, name, created_at) values (${newId()}, ${email}, ${name ?? nameOf(email)}, ${now})
      on conflict (email) do nothing`;
  } else if (name !== null && name !== known.name) {
    await db.run`update users set name = ${name} where id = ${known.id}`;
  } else {
    return personOf(known);
  }
  return personOf(await find());
}

/** `ada.lovelace@example.com` is called Ada Lovelace until someone says otherwise. */
function nameOf(email: string): string {
  return email
    .slice(0, email.indexOf("@"))
    .split(/[._+-]+/)
    .filter((part) => part !== "")
    .map((part) => part[0]?.toUpperCase() + part.slice(1))
    .join(" ");
}
