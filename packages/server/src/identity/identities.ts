import type { Identity } from "@easel/protocol/management";
import { type Member, nameOf } from "../access/principal.ts";
import type { CanvasData } from "../canvases/canvas-data.ts";
import { announceAccess } from "../canvases/open-connections.ts";
import { newId } from "../crypto/ids.ts";
import { type Dependent, joined, type Optional, optional, type Sql, sql, step } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { followGroups, hasOtherGroups } from "./groups.ts";
import { personWith } from "./person-addresses.ts";
import { renamingSteps } from "./renaming.ts";
import { type UserRow, userOf } from "./users.ts";

/** The accounts of people at providers, and their groups there. */
export const identityData: CanvasData = {
  otherTables: ["identities", "person_groups"],
  people: {
    identities: {
      ids: ["user_id"],
      erased: "removed",
      exported: { part: "accounts", columns: ["issuer", "subject", "created_at"], order: ["issuer"] },
    },
    person_groups: {
      ids: ["user_id"],
      erased: "removed",
      exported: { part: "groups", columns: ["name"], order: ["name"] },
    },
  },
};

/** The issuer under which the ids of a directory are stored, as the sign-in and SCIM name them. */
export const DIRECTORY = "scim";

/** An account at a provider: its subject is unique among those of the issuer, and never given to anybody else. */
export interface AccountId {
  issuer: string;
  subject: string;
}

/** What a provider or a sign-in proxy asserts about the person who signs in. */
export interface Account extends AccountId {
  /** A normal, verified address. */
  email: string;
  name: string | null;
  /** Null if the provider tells no groups: the teams that follow them stay as they are. */
  groups: string[] | null;
  /** The id by which the directory knows the person (`externalId` of SCIM), if a claim has it (SERVICE_SCIM_ID_CLAIM). */
  directoryId?: string | null;
}

/**
 * Why an account lets nobody in: its person is deactivated, the person of its address has another account of this issuer or another id in the
 * directory, or its new address belongs to somebody else.
 */
export type NoPerson = "deactivated" | "other_account" | "address_taken";

/**
 * Finds the person of an account, by issuer and subject alone once the account has signed in. The first time, the account is linked to the
 * person of its id in the directory, or else of its address, who is created if necessary. Each address that the directory has for a person is theirs. A changed address or name is stored, with everything that is kept by address. `always`:
 * whether groups are compared with teams although they have not changed, as at a sign-in.
 */
export async function personOf(
  account: Account,
  env: Env,
  { always }: { always: boolean },
): Promise<Member | NoPerson> {
  const linked = await findPerson(account, env);
  const row = linked ?? (await link(account, env));
  if (typeof row === "string") return row;
  if (linked !== undefined && always && (await hasOtherId(row, account, env))) return "other_account";
  if (row.deactivated_at !== null) return "deactivated";
  const { email, groups } = account;
  const isRenamed = row.email !== email;
  if (isRenamed && (await rename(row, email, env)) === "address_taken") return "address_taken";
  const name = account.name ?? row.name;
  const hasOtherName = name !== row.name;
  if (hasOtherName) await env.db.withReserve.run`update users set name = ${name} where id = ${row.id}`;
  const isListedAnew = linked === undefined || isRenamed || row.listed_as !== null;
  if (isListedAnew) await list(row, email, env);
  const follows = groups !== null && (always || hasOtherGroups(row, groups, env));
  if (follows) await followGroups({ id: row.id, email }, groups, env);
  // Nobody stays an administrator by groups that are not told.
  const isDemoted = groups === null && row.admin_group === 1;
  if (isDemoted)
    await env.db.withReserve.run`update users set admin_group = 0, groups_key = null where id = ${row.id}`;
  const isChanged = isDemoted || isListedAnew || hasOtherName || follows;
  return userOf(isChanged ? await findPerson(account, env) : row) ?? "deactivated";
}

/** Finds the row of the person to whom an account is linked. Returns undefined if there is none. */
export const findPerson = (
  { issuer, subject }: AccountId,
  { db }: Env,
): Promise<Readonly<UserRow> | undefined> =>
  db.getCached<UserRow & Dependent>`
    select users.id, email, users.name, avatar_url, can_publish_public, deactivated_at, listed_as, admin_group, groups_key,
      'person ' || users.id as depends_on
    from identities join users on users.id = user_id where issuer = ${issuer} and subject = ${subject}`;

/**
 * Returns the expression of the id of the person of an account that is not linked: the person with its id in the directory, or else the one with
 * its address.
 */
const personOfNew = ({ email, directoryId = null }: Account): Sql =>
  directoryId === null
    ? personWith(email)
    : joined([
        sql`coalesce((select user_id from identities where issuer = ${DIRECTORY} and subject = ${directoryId}),`,
        personWith(email),
        sql`)`,
      ]);

/** Links an account to its person, who is created if there is none. */
async function link(account: Account, env: Env): Promise<Readonly<UserRow> | NoPerson> {
  const { issuer, subject, email, name, directoryId = null } = account;
  const now = env.clock();
  const person = personOfNew(account);
  await env.db.withReserve.batch([
    optional(
      ...joined([
        sql`insert into users (id, email, name, created_at)
          select cast(${newId()} as text), cast(${email} as text), cast(${name ?? nameOf(email)} as text), cast(${now} as bigint)
          where`,
        person,
        sql`is null on conflict (email) do nothing`,
      ]),
    ),
    // Changes no row if the account is linked already, or the person has another account of this issuer or another id in the directory.
    step(
      "other_account",
      joined([
        sql`insert into identities (issuer, subject, user_id, created_at)
          select cast(${issuer} as text), cast(${subject} as text), id, cast(${now} as bigint) from users
          where deactivated_at is null and not exists (select 1 from identities as known
            where known.issuer = ${DIRECTORY} and known.user_id = users.id and known.subject <> ${directoryId ?? ""}
              and ${directoryId ?? ""} <> '') and id =`,
        person,
        sql`on conflict do nothing`,
      ]),
    ),
    ...(directoryId === null ? [] : [keepDirectoryId(account, directoryId, now)]),
  ]);
  // Another request of the same account may have linked it meanwhile.
  const row = await findPerson(account, env);
  if (row !== undefined) return row;
  const known = await env.db.get<{ deactivated_at: number | null }>(
    ...joined([sql`select deactivated_at from users where id =`, person]),
  );
  return known !== undefined && known.deactivated_at !== null ? "deactivated" : "other_account";
}

/** Builds the step that stores the id in the directory of the person of a linked account, unless they have one or somebody else has it. */
const keepDirectoryId = (
  { issuer, subject }: AccountId,
  directoryId: string,
  now: number,
): Optional => optional`
  insert into identities (issuer, subject, user_id, created_at)
  select cast(${DIRECTORY} as text), cast(${directoryId} as text), user_id, cast(${now} as bigint) from identities
  where issuer = ${issuer} and subject = ${subject} on conflict do nothing`;

/** Whether the directory knows somebody else by the id of a linked account, which is stored otherwise. */
async function hasOtherId({ id }: UserRow, account: Account, { db, clock }: Env): Promise<boolean> {
  const { directoryId = null } = account;
  if (directoryId === null) return false;
  const known = await db.get<{ user_id: string }>`
    select user_id from identities where issuer = ${DIRECTORY} and subject = ${directoryId}`;
  if (known === undefined)
    await db.withReserve.run(...keepDirectoryId(account, directoryId, clock()).statement);
  return known !== undefined && known.user_id !== id;
}

/** Gives a person the address that the provider names now. */
async function rename({ id, email }: UserRow, to: string, env: Env): Promise<"done" | "address_taken"> {
  const outcome = await env.db.withReserve.batch(renamingSteps({ id, email }, to, env.clock()));
  if (outcome !== "done") return outcome;
  env.log.info({ person: id, from: email, to }, "a person has another address at the provider");
  await announceAccess({ people: [id] }, env);
  return outcome;
}

/**
 * Stores by which address the settings name a person as an administrator. A person whose address was listed and has changed stays one, as
 * long as the settings have the former address. A different person who gets that address is none.
 */
async function list(row: UserRow, email: string, { config, db, log }: Env): Promise<void> {
  const listed = (each: string | null): each is string => each !== null && config.adminEmails.includes(each);
  const own = row.listed_as === "" ? null : row.email;
  const former = [row.listed_as, own].find((each) => each !== email && listed(each)) ?? null;
  const isOthers =
    former === null &&
    listed(email) &&
    (await db.get`
      select 1 as found from users
      where listed_as = ${email} and id <> ${row.id} and deactivated_at is null limit 1`) !== undefined;
  const listedAs = isOthers ? "" : former;
  if (listedAs === row.listed_as) return;
  await db.withReserve.run`update users set listed_as = ${listedAs} where id = ${row.id}`;
  if (former !== null)
    log.warn({ email, former }, "an administrator has another address: change it in SERVICE_ADMIN_EMAILS");
  if (isOthers)
    log.warn(
      { email },
      "SERVICE_ADMIN_EMAILS has an address that belongs to somebody else now: they are no administrator",
    );
}

/** Lists the accounts of a person, newest first. */
export const listIdentities = (userId: string, { db }: Env): Promise<Identity[]> =>
  db.all<Identity>`
    select issuer, subject, created_at as "createdAt" from identities where user_id = ${userId}
    order by created_at desc, issuer`;

/** Unlinks every account of a person, and ends their sessions. Returns the accounts. */
export async function unlink(userId: string, env: Env): Promise<Identity[]> {
  const linked = await listIdentities(userId, env);
  await env.db.withReserve.batch([
    optional`delete from identities where user_id = ${userId}`,
    optional`delete from sessions where user_id = ${userId}`,
  ]);
  return linked;
}
