import { joined, optional, type Sql, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";

/** The issuer under which the ids of a provider that manages people are stored: they are accounts like those of a sign-in. */
const ISSUER = "scim";

/** A person as SCIM sees them. */
export interface ScimPerson {
  id: string;
  email: string;
  name: string;
  created_at: number;
  deactivated_at: number | null;
  external_id: string | null;
}

/** A page of a list: `startIndex` counts from 1. */
export interface PageOfList {
  startIndex: number;
  count: number;
}

const ROW = sql`
  select id, email, name, users.created_at, deactivated_at,
    (select subject from identities where user_id = users.id and issuer = ${ISSUER}) as external_id
  from users where erased_at is null and`;

/** Finds a person, but nobody who was erased. */
export const findScimPerson = (id: string, { db }: Env): Promise<ScimPerson | undefined> =>
  db.get<ScimPerson>`
    select id, email, name, users.created_at, deactivated_at,
      (select subject from identities where user_id = users.id and issuer = ${ISSUER}) as external_id
    from users where erased_at is null and id = ${id}`;

/** The conditions by which people are looked up, by the attribute of the filter. */
export const PERSON_FILTERS: Record<string, (value: string) => Sql> = {
  id: (value) => sql`id = ${value}`,
  username: (value) => sql`email = ${value.toLowerCase()}`,
  "emails.value": (value) => sql`email = ${value.toLowerCase()}`,
  emails: (value) => sql`email = ${value.toLowerCase()}`,
  externalid: (value) =>
    sql`id in (select user_id from identities where issuer = ${ISSUER} and subject = ${value})`,
};

/** Lists people in the order in which they came, and counts all of them. */
export async function listScimPeople(
  condition: Sql,
  { startIndex, count }: PageOfList,
  { db }: Env,
): Promise<{ total: number; people: ScimPerson[] }> {
  const [[all], people] = await Promise.all([
    db.all<{ total: number }>(
      ...joined([sql`select count(*) as total from users where erased_at is null and`, condition]),
    ),
    db.all<ScimPerson>(...joined([ROW, condition, sql`order by id limit ${count} offset ${startIndex - 1}`])),
  ]);
  return { total: Number(all?.total), people };
}

/** Stores the id that the provider has for a person, or removes it. */
export async function setExternalId(
  id: string,
  externalId: string | null,
  { db, clock }: Env,
): Promise<void> {
  await db.withReserve.batch([
    optional`delete from identities where issuer = ${ISSUER} and (user_id = ${id} or subject = ${externalId ?? ""})`,
    ...(externalId === null
      ? []
      : [
          optional`insert into identities (issuer, subject, user_id, created_at)
            values (${ISSUER}, ${externalId}, ${id}, ${clock()})`,
        ]),
  ]);
}
