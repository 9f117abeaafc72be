import {
  asKeys,
  joined,
  type NamedStep,
  type Optional,
  optional,
  type Sql,
  sql,
  sqlText,
  step,
} from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { DIRECTORY } from "../identity/identities.ts";
import { isNobodyElses } from "../identity/person-addresses.ts";
import { renamingSteps } from "../identity/renaming.ts";

/** An address of a person at the provider. */
export interface Mail {
  email: string;
  /** What it is for, such as `work`. */
  type: string;
}

/** A person as SCIM sees them. */
export interface ScimPerson {
  id: string;
  /** The address here. */
  email: string;
  name: string;
  created_at: number;
  deactivated_at: number | null;
  external_id: string | null;
  /** The name at the provider, in lower case. Null if the provider has told none: the address stands for it. */
  user_name: string | null;
  removed_at: number | null;
  /** The addresses at the provider, the primary one first. */
  mails: Mail[];
}

type PersonRow = Omit<ScimPerson, "mails">;

/** A page of a list: `startIndex` counts from 1. */
export interface PageOfList {
  startIndex: number;
  count: number;
}

const ROW = sql`
  select users.id, email, name, users.created_at, deactivated_at, user_name, removed_at,
    (select subject from identities where user_id = users.id and issuer = ${DIRECTORY}) as external_id
  from users left join scim_people on scim_people.user_id = users.id
  where erased_at is null and`;

/** Whether the provider sees a person: not after it has deleted them, unless an administrator has let them in again. */
const SEEN = sql`(removed_at is null or deactivated_at is null)`;

/** Matches one of a few texts. PostgreSQL takes a list of JSON for one of a hundred, and reads the whole table for it. */
const oneOf = (texts: string[]): Sql => [
  sqlText(`in (${texts.map(() => "?").join(", ") || "null"})`),
  ...texts,
];

async function withMails(rows: PersonRow[], { db }: Env): Promise<ScimPerson[]> {
  const addresses = await db.all<Mail & { user_id: string; place: number }>(
    ...joined([
      sql`select user_id, email, type, place from scim_addresses where user_id`,
      oneOf(rows.map(({ id }) => id)),
      sql`order by user_id, place`,
    ]),
  );
  const mails = Map.groupBy(
    addresses.filter(({ place }) => Number(place) > 0),
    ({ user_id }) => user_id,
  );
  return rows.map((row) => ({
    ...row,
    mails: (mails.get(row.id) ?? []).map(({ email, type }) => ({ email, type })),
  }));
}

/** Finds a person whom the provider sees. */
export async function findScimPerson(id: string, env: Env): Promise<ScimPerson | undefined> {
  const rows = await env.db.all<PersonRow>(...joined([ROW, SEEN, sql`and users.id = ${id}`]));
  return (await withMails(rows, env))[0];
}

/** Finds at most three people who have one of these addresses, this name or this id, also people that the provider has deleted. */
export async function findHolders(
  { userName, addresses, externalId }: { userName: string; addresses: string[]; externalId: string | null },
  env: Env,
): Promise<ScimPerson[]> {
  const among = oneOf(addresses);
  const rows = await env.db.all<PersonRow>(
    ...joined([
      ROW,
      sql`users.id in (select id from users where email`,
      among,
      sql`union select user_id from scim_addresses where email`,
      among,
      sql`union select user_id from scim_people where user_name = ${userName}
        union select user_id from identities where issuer = ${DIRECTORY} and subject = ${externalId ?? ""})
        order by users.id limit 3`,
    ]),
  );
  return withMails(rows, env);
}

/** Returns a name or an address as it is compared: with ASCII letters in lower case. */
export const plainCase = (text: string): string =>
  text.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const ofAddress = (value: string): Sql => {
  const email = plainCase(value);
  return sql`users.id in (select id from users where email = ${email}
    union select user_id from scim_addresses where email = ${email})`;
};

/** Matches the person with a user name, which is the address of those for whom the provider has told none. */
const ofName = (value: string): Sql => {
  const name = plainCase(value);
  return sql`users.id in (select user_id from scim_people where user_name = ${name}
    union select id from users where email = ${name} and not exists (select 1 from scim_people as known where known.user_id = users.id))`;
};

/** The conditions by which people are looked up, by the attribute of the filter. */
export const PERSON_FILTERS: Record<string, (value: string) => Sql> = {
  id: (value) => sql`users.id = ${value}`,
  username: ofName,
  "emails.value": ofAddress,
  emails: ofAddress,
  externalid: (value) =>
    sql`users.id in (select user_id from identities where issuer = ${DIRECTORY} and subject = ${value})`,
  active: (value) =>
    value.toLowerCase() === "true" ? sql`deactivated_at is null` : sql`deactivated_at is not null`,
};

/** Lists people in the order in which they came, and counts all of them. */
export async function listScimPeople(
  conditions: Sql[],
  { startIndex, count }: PageOfList,
  env: Env,
): Promise<{ total: number; people: ScimPerson[] }> {
  const all = [SEEN, ...conditions.flatMap((condition) => [sql`and`, condition])];
  const [[counted], rows] = await Promise.all([
    env.db.all<{ total: number }>(
      ...joined([
        sql`select count(*) as total from users left join scim_people on scim_people.user_id = users.id where erased_at is null and`,
        ...all,
      ]),
    ),
    env.db.all<PersonRow>(
      ...joined([ROW, ...all, sql`order by users.id limit ${count} offset ${startIndex - 1}`]),
    ),
  ]);
  return { total: Number(counted?.total), people: await withMails(rows, env) };
}

/** What the provider says about the names of a person. */
export interface Names {
  /** In lower case. */
  userName: string;
  /** The user name if it is an address; null otherwise. */
  address: string | null;
  /** The primary one first. */
  mails: Mail[];
}

/**
 * Builds the steps of a batch that store what the provider says about a person, who gets the address `email` here. Addresses that the provider does
 * not name any more are kept as former ones. The outcome is "address_taken" or "name_taken" if somebody else has got one meanwhile.
 */
export function namingSteps(
  person: Pick<ScimPerson, "id" | "email">,
  { userName, address, mails }: Names,
  email: string,
  now: number,
): NamedStep<"address_taken" | "name_taken" | null>[] {
  const { id } = person;
  const places = [...(address === null ? [] : [{ email: address, type: "work" }]), ...mails];
  const first = address === null ? 1 : 0;
  return [
    ...(email === person.email ? [] : renamingSteps(person, email, now)),
    optional`insert into former_addresses (user_id, email, ended_at)
      select user_id, email, cast(${now} as bigint) from scim_addresses
      where user_id = ${id} and email not in (select key from json_each(${asKeys(places.map((each) => each.email))}))
      on conflict (user_id, email) do update set ended_at = excluded.ended_at`,
    optional`delete from scim_addresses where user_id = ${id}`,
    ...places.map((each, index) =>
      step(
        "address_taken",
        joined([
          sql`insert into scim_addresses (email, user_id, place, type)
            select cast(${each.email} as text), cast(${id} as text), cast(${first + index} as bigint), cast(${each.type} as text) where`,
          isNobodyElses(each.email, id),
          sql`on conflict (email) do nothing`,
        ]),
      ),
    ),
    step(
      "name_taken",
      sql`insert into scim_people (user_id, user_name)
        select cast(${id} as text), cast(${userName} as text)
        where not exists (select 1 from scim_people where user_name = ${userName} and user_id <> ${id})
        on conflict (user_id) do update set user_name = excluded.user_name, removed_at = null`,
    ),
  ];
}

/** Builds the steps that note that the provider has deleted a person: it does not see them any more. */
export const removalSteps = ({ id, email, user_name }: ScimPerson, now: number): Optional[] => [
  optional`insert into scim_people (user_id, user_name, removed_at) values (${id}, ${user_name ?? email}, ${now})
    on conflict (user_id) do update set removed_at = excluded.removed_at`,
];

/**
 * Builds the steps by which somebody whom the provider has deleted gives up name and addresses, because it has another person with them now. What
 * they own and what is shared with them stays theirs.
 */
export const givingUpSteps = (
  { id, email }: ScimPerson,
  now: number,
): NamedStep<"address_taken" | null>[] => [
  ...renamingSteps({ id, email }, `removed-${id}@invalid`, now),
  optional`insert into former_addresses (user_id, email, ended_at)
    select user_id, email, cast(${now} as bigint) from scim_addresses where user_id = ${id} on conflict do nothing`,
  optional`delete from scim_addresses where user_id = ${id}`,
  optional`update scim_people set user_name = ${`removed-${id}@invalid`} where user_id = ${id}`,
];

/** Builds the steps that store the id that the provider has for a person, or remove it. Nobody else may have it. */
export const externalIdSteps = (id: string, externalId: string | null, now: number): Optional[] => [
  optional`delete from identities where issuer = ${DIRECTORY} and user_id = ${id}`,
  ...(externalId === null
    ? []
    : [
        optional`insert into identities (issuer, subject, user_id, created_at)
          values (${DIRECTORY}, ${externalId}, ${id}, ${now})`,
      ]),
];
