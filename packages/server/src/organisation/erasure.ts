import { nextTurn } from "../async/next-turn.ts";
import { optional, sql, step } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { endGuestsOf } from "../identity/guests.ts";
import { addressesOf, forgetAddresses, isOfAddresses } from "../identity/person-addresses.ts";
import { removeRowsOfPerson, tablesOfPeople } from "./person-rows.ts";

/** The name that stands for everybody who was erased. */
const NAME = "Deleted person";

/** Returns the address of somebody who was erased: nobody can have it, because the domain does not exist (RFC 2606). */
const addressOf = (id: string): string => `deleted-${id}@invalid`;

/** The number of entries of the audit log that one statement changes or looks at. */
const SLICE = 500;

/** The time of an address that names the person for ever. */
const ALWAYS = Number.MAX_SAFE_INTEGER;

/** An address that names the person in what is from a time, in epoch milliseconds, and what stands there instead. */
interface Erased {
  email: string;
  since: number;
  until: number;
  to: string;
}

/**
 * Erases a person who is deactivated and owns nothing any more: what is theirs alone is removed, and their name and their addresses, former
 * ones too, are replaced wherever the service has them. Records, files, submissions, versions and entries of the audit log stay, under the id.
 * Their addresses and their row, by which all else is found, are changed last. So an erasure that was interrupted is repeated as a whole, and one
 * that is done stays done. Returns false if the person has been reactivated meanwhile, or owns something again; the rest is done then.
 */
export async function erasePerson(
  person: { id: string; email: string },
  signal: AbortSignal,
  env: Env,
): Promise<boolean> {
  const { id } = person;
  const addresses = await addressesOf(person, env);
  const emails = addresses.filter(({ until }) => until === null);
  const to = addressOf(id);
  await endGuestsOf(id, null, env);
  for (const { email, since, until } of addresses) {
    const erased = { email, since, until: until ?? ALWAYS, to };
    await eraseAsGuest(erased, env);
    await eraseFromAudit(erased, signal, env);
  }
  await eraseActor(id, to, signal, env);
  for (const [name, table] of tablesOfPeople(env)) {
    signal.throwIfAborted();
    if (table.erased === "removed" && !isOfAddresses(name))
      await removeRowsOfPerson(name, table, { id, emails }, env);
  }
  const outcome = await env.db.withReserve.batch([
    step(
      "changed",
      sql`update users set email = ${to}, name = ${NAME}, avatar_url = null, listed_as = null, admin_group = 0, groups_key = null,
        erased_at = ${env.clock()}
        where id = ${id} and deactivated_at is not null and erased_at is null
          and not exists (select 1 from canvases where owner_id = ${id} and deleted_at is null)
          and not exists (select 1 from teams where created_by = ${id})`,
    ),
    ...forgetAddresses(id),
  ]);
  return outcome === "done";
}

/** Ends the invitations to an address of a person, and takes name and address from them. */
async function eraseAsGuest({ email, since, until, to }: Erased, { db, clock }: Env): Promise<void> {
  await db.withReserve.batch([
    optional`delete from sessions where invite_id in (select id from invites where email = ${email} and created_at > ${since} and created_at <= ${until})`,
    optional`update invites set revoked_at = coalesce(revoked_at, ${clock()}), name = ${NAME}, email = ${to}
      where email = ${email} and created_at > ${since} and created_at <= ${until}`,
  ]);
}

/** Takes the addresses of a person, and those of their clients, from the entries of the audit log whose actor they are. */
async function eraseActor(id: string, to: string, signal: AbortSignal, { db }: Env): Promise<void> {
  for (let changed = SLICE; changed === SLICE; ) {
    signal.throwIfAborted();
    changed = await db.withReserve.run`
      update audit set actor_email = ${to}, address = '' where id in (
        select id from audit where actor_id = ${id} and actor_email <> ${to} limit ${SLICE})`;
  }
}

/**
 * Takes an address from the audit log: as the actor, which is a guest there, as the target and from the details. Who did something to whom stays
 * known by the id. Details have addresses as whole JSON texts.
 */
async function eraseFromAudit(
  { email, since, until, to }: Erased,
  signal: AbortSignal,
  { db }: Env,
): Promise<void> {
  const [own, instead] = [JSON.stringify(email), JSON.stringify(to)];
  const pattern = `%${own.replace(/[%_!]/g, "!$&")}%`;
  for (let after = ""; ; ) {
    signal.throwIfAborted();
    const last = (
      await db.all<{ id: string }>`
      select id from audit where id > ${after} order by id limit ${SLICE}`
    ).at(-1);
    if (last === undefined) return;
    await db.withReserve.run`
      update audit set target = case when target = ${email} then ${to} else target end,
        details = replace(details, ${own}, ${instead}),
        address = case when actor_email = ${email} then '' else address end,
        actor_email = case when actor_email = ${email} then ${to} else actor_email end
      where id > ${after} and id <= ${last.id} and at > ${since} and at <= ${until}
        and (target = ${email} or actor_email = ${email} or details like ${pattern} escape '!')`;
    after = last.id;
    await nextTurn();
  }
}
