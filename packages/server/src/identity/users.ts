import { type Member, nameOf } from "../access/principal.ts";
import type { CanvasData } from "../canvases/canvas-data.ts";
import type { Config } from "../config/config.ts";
import { newId } from "../crypto/ids.ts";
import type { Db, Dependent } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { visibleName } from "../http/visible-name.ts";
import { renamingSteps } from "./renaming.ts";

/** The people, and the words of their names by which they are found. */
export const userData: CanvasData = {
  otherTables: ["users", "person_words"],
  people: {
    // Their row stays, with another name and address, and triggers keep the words.
    users: { ids: ["id"], emails: ["email", "listed_as"], erased: "kept", exported: null },
    person_words: { ids: ["user_id"], erased: "kept", exported: null },
  },
};

/** The columns of the table `users` that are converted to a `User`. */
export interface UserRow {
  id: string;
  email: string;
  name: string;
  avatar_url: string | null;
  can_publish_public: number;
  deactivated_at: number | null;
  /** The former address by which the settings name an administrator; empty if the address of the person names somebody else there. */
  listed_as: string | null;
  /** 1 if the person is in a group of administrators. */
  admin_group: number;
  /** A hash of the groups of the person; null if no provider has told any. */
  groups_key: string | null;
}

/** Converts a row to a user. Returns null if there is no row or the user is deactivated. */
export function userOf(row: Readonly<UserRow> | undefined): Member | null {
  if (row === undefined || row.deactivated_at !== null) return null;
  return {
    kind: "member",
    id: row.id,
    email: row.email,
    name: row.name,
    avatarUrl: row.avatar_url,
    canPublishPublic: row.can_publish_public === 1,
    listedAs: row.listed_as,
    inAdminGroup: row.admin_group === 1,
    restriction: null,
  };
}

/** Whether the settings make a person an administrator: by their address, by one that they have had, or by a group. */
export const isListed = (
  { email, listedAs, inAdminGroup }: Pick<Member, "email" | "listedAs" | "inAdminGroup">,
  { adminEmails, oidcAdminGroups }: Pick<Config, "adminEmails" | "oidcAdminGroups">,
): boolean =>
  (listedAs !== "" && adminEmails.includes(email)) ||
  (listedAs !== null && adminEmails.includes(listedAs)) ||
  (inAdminGroup && oidcAdminGroups.length > 0);

/** Finds a user by the id. Returns null if there is none or the user is deactivated. */
export async function userById(id: string, { db }: Env): Promise<Member | null> {
  return userOf(
    await db.getCached<UserRow & Dependent>`
      select id, email, name, avatar_url, can_publish_public, deactivated_at, listed_as, admin_group, groups_key,
        'person ' || id as depends_on
      from users where id = ${id}`,
  );
}

/** Finds the row of the user with an e-mail address. Returns undefined if nobody has signed in with it. */
export const findUserRow = (email: string, { db }: Env): Promise<UserRow | undefined> =>
  db.get<UserRow>`
    select id, email, name, avatar_url, can_publish_public, deactivated_at, listed_as, admin_group, groups_key
    from users where email = ${email}`;

/** How much of a name is looked at, in UTF-16 code units. */
const MAX_GIVEN = 2_000;

/**
 * Sanitizes a name that a client or a provider sent: removes what a reader does not see and cuts the name to 200 characters. Returns null if
 * nothing is left.
 */
export function cleanName(given: unknown): string | null {
  if (typeof given !== "string") return null;
  const name = visibleName(visibleName(given.slice(0, MAX_GIVEN)).slice(0, 200));
  return name === "" ? null : name;
}

/**
 * Finds or creates the user with an e-mail address, and updates the name if one is given. A person for whom the directory has the address gets it.
 * Returns null if the user is deactivated.
 */
export async function upsertUser(
  db: Db,
  email: string,
  name: string | null,
  now: number,
): Promise<Member | null> {
  const find = () => db.getCached<UserRow & Dependent>`
    select id, email, name, avatar_url, can_publish_public, deactivated_at, listed_as, admin_group, groups_key,
      'person ' || id as depends_on
    from users where email = ${email}`;
  const known = await find();
  if (known === undefined) {
    const person = await db.get<{ id: string; email: string }>`
      select id, users.email from scim_addresses join users on users.id = user_id where scim_addresses.email = ${email}`;
    if (person !== undefined) await db.withReserve.batch(renamingSteps(person, email, now));
    else
      await db.withReserve.run`
        insert into users (id, email, name, created_at) values (${newId()}, ${email}, ${name ?? nameOf(email)}, ${now})
        on conflict (email) do nothing`;
  } else if (name !== null && name !== known.name) {
    await db.withReserve.run`update users set name = ${name} where id = ${known.id}`;
  } else {
    return userOf(known);
  }
  return userOf(await find());
}
