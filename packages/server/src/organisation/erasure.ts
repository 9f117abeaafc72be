import { nextTurn } from "../async/next-turn.ts";
import { optional, sql, step } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { endGuestsOf } from "../identity/guests.ts";
import { type PersonKeys, removeRowsOfPerson, tablesOfPeople } from "./person-rows.ts";

/** The name that stands for everybody who was erased. */
const NAME = "Deleted person";

/** Returns the address of somebody who was erased: nobody can have it, because the domain does not exist (RFC 2606). */
const addressOf = (id: string): string => `deleted-${id}@invalid`;

/** The number of entries of the audit log that one statement changes or looks at. */
const SLICE = 500;

/**
 * Erases a person who is deactivated and owns nothing any more: what is theirs alone is removed, and their name and address are replaced
 * wherever the service has them. Records, files, submissions, versions and entries of the audit log stay, under the id. The row of the
 * person is changed last. So an erasure that was interrupted is repeated as a whole, and one that is done stays done. Returns false if the
 * person has been reactivated meanwhile, or owns something again; the rest is done then.
 */
export async function erasePerson(person: PersonKeys, signal: AbortSignal, env: Env): Promise<boolean> {
  const { id, email } = person;
  const db = env.db.withReserve;
  await endGuestsOf(id, null, env);
  for (const [name, table] of tablesOfPeople(env)) {
    signal.throwIfAborted();
    if (table.erased === "removed") await removeRowsOfPerson(name, table, person, env);
  }
  await eraseAsGuest(email, addressOf(id), env);
  await eraseFromAudit(person, signal, env);
  const outcome = await db.batch([
    step(
      "changed",
      sql`update users set email = ${addressOf(id)}, name = ${NAME}, avatar_url = null, listed_as = null, admin_group = 0, groups_key = null,
        erased_at = ${env.clock()}
        where id = ${id} and deactivated_at is not null and erased_at is null
          and not exists (select 1 from canvases where owner_id = ${id} and deleted_at is null)
          and not exists (select 1 from teams where created_by = ${id})`,
    ),
  ]);
  return outcome === "done";
}

/** Ends the invitations to the address of a person, and takes name and address from them. */
async function eraseAsGuest(email: string, to: string, { db, clock }: Env): Promise<void> {
  await db.withReserve.batch([
    optional`delete from sessions where invite_id in (select id from invites where email = ${email})`,
    optional`update invites set revoked_at = coalesce(revoked_at, ${clock()}), name = ${NAME}, email = ${to} where email = ${email}`,
  ]);
}

/**
 * Takes the address of a person, and that of their clients, from the audit log. Who did something to whom stays known by the id. Details
 * have addresses as whole JSON texts.
 */
async function eraseFromAudit({ id, email }: PersonKeys, signal: AbortSignal, { db }: Env): Promise<void> {
  const to = addressOf(id);
  for (let changed = SLICE; changed === SLICE; ) {
    signal.throwIfAborted();
    changed = await db.withReserve.run`
      update audit set actor_email = ${to}, address = '' where id in (
        select id from audit where actor_id = ${id} and actor_email <> ${to} limit ${SLICE})`;
  }
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
        details = replace(details, ${own}, ${instead})
      where id > ${after} and id <= ${last.id} and (target = ${email} or details like ${pattern} escape '!')`;
    after = last.id;
    await nextTurn();
  }
}
