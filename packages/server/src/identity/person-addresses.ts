import type { CanvasData } from "../canvases/canvas-data.ts";
import { type Optional, optional, type Sql, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";

/**
 * The addresses of people besides that of their row: those that they have had, and those that a directory has for them (`scim/`). An address of
 * a directory lets the same person in as the address of the row.
 */
export const addressData: CanvasData = {
  otherTables: ["former_addresses", "scim_people", "scim_addresses"],
  people: {
    former_addresses: {
      ids: ["user_id"],
      emails: ["email"],
      erased: "removed",
      exported: { part: "former-addresses", columns: ["email", "ended_at"], order: ["email"] },
    },
    scim_people: {
      ids: ["user_id"],
      erased: "removed",
      exported: { part: "directory", columns: ["user_name", "removed_at"], order: ["user_id"] },
    },
    scim_addresses: {
      ids: ["user_id"],
      emails: ["email"],
      erased: "removed",
      exported: { part: "directory-addresses", columns: ["email"], order: ["email"] },
    },
  },
};

/** Returns the expression of the id of the person who has an address: in their row, or in the directory. It is null if there is none. */
export const personWith = (email: string): Sql => sql`
  coalesce((select id from users where email = ${email}), (select user_id from scim_addresses where email = ${email}))`;

/** The condition that an address is that of nobody but the person with the id. */
export const isNobodyElses = (email: string, id: string): Sql => sql`
  not exists (select 1 from users as others where others.email = ${email} and others.id <> ${id})
    and not exists (select 1 from scim_addresses where scim_addresses.email = ${email} and user_id <> ${id})`;

/** Builds the step that keeps an address which a person gives up. */
export const keepAddress = (id: string, email: string, now: number): Optional => optional`
  insert into former_addresses (user_id, email, ended_at)
  values (${id}, ${email}, ${now}) on conflict (user_id, email) do update set ended_at = excluded.ended_at`;

/** Whether a table has addresses of people, by which their other rows are found. */
export const isOfAddresses = (table: string): boolean => addressData.otherTables?.includes(table) ?? false;

/** Builds the steps that remove all that a person has in these tables. */
export const forgetAddresses = (id: string): Optional[] => [
  optional`delete from former_addresses where user_id = ${id}`,
  optional`delete from scim_addresses where user_id = ${id}`,
  optional`delete from scim_people where user_id = ${id}`,
];

/** An address of a person, and the time in which it was theirs, in epoch milliseconds. */
export interface AddressInTime {
  email: string;
  /** When the last one who had it before gave it up; 0 if nobody had. */
  since: number;
  /** When the person gave it up, if somebody else has it by now. Null for an address that they have, or that nobody has. */
  until: number | null;
}

/** Finds the addresses that a person has and has had, each once. */
export async function addressesOf(
  { id, email }: { id: string; email: string },
  { db }: Pick<Env, "db">,
): Promise<AddressInTime[]> {
  const rows = await db.all<{ email: string; ended_at: number | null; since: number; taken: number }>`
    select email, ended_at,
      coalesce((select max(ended_at) from former_addresses as others
        where others.email = known.email and others.user_id <> ${id} and (known.ended_at is null or others.ended_at < known.ended_at)), 0) as since,
      case when exists (select 1 from users where users.email = known.email and users.id <> ${id})
        or exists (select 1 from scim_addresses where scim_addresses.email = known.email and user_id <> ${id}) then 1 else 0 end as taken
    from (select cast(${email} as text) as email, cast(null as bigint) as ended_at
      union all select email, null from scim_addresses where user_id = ${id}
      union all select email, ended_at from former_addresses where user_id = ${id}) as known`;
  const times = rows.map((row) => ({
    email: row.email,
    since: Number(row.since),
    until: Number(row.taken) === 1 && row.ended_at !== null ? Number(row.ended_at) : null,
  }));
  // The address that they have comes first.
  return [...Map.groupBy(times, (each) => each.email).values()].flatMap(([first]) => first ?? []);
}
