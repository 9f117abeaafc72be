import { LIMITS } from "@easel/protocol/limits";
import type { HandoverCanvas, HandoverResult, HandoverTeam } from "@easel/protocol/management";
import { administratorId } from "../access/principal.ts";
import type { OwnerQuota } from "../canvases/owner-quotas.ts";
import { reassignCanvas } from "../canvases/ownership.ts";
import { newId } from "../crypto/ids.ts";
import { asKeys, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { type Paged, paged } from "../http/query.ts";
import { mailSteps } from "../mail/mail-queue.ts";
import { handoverMail } from "../mail/mails.ts";
import { auditEntry, type NewAuditEntry } from "./audit.ts";
import { deactivateWithoutCanvases } from "./user-details.ts";

/** The maximum number of editors of a canvas that the list of a handover names. */
const EDITORS_SHOWN = 20;

/** A person with an account. */
interface Person {
  id: string;
  email: string;
}

/**
 * Lists the canvases that a person owns, newest first, with ids below `cursor`. The editors are active members, at most 20 of a canvas, by
 * address. Deleted canvases are left out.
 */
export async function canvasesToHandOver(
  userId: string,
  { cursor, limit }: { cursor: string; limit: number },
  { db }: Env,
): Promise<Paged<HandoverCanvas>> {
  const rows = await db.all<Omit<HandoverCanvas, "editors">>`
    select id, slug, title from canvases where owner_id = ${userId} and deleted_at is null and id < ${cursor}
    order by id desc limit ${limit + 1}`;
  const { entries, nextCursor } = paged(rows, limit, ({ id }) => id);
  const editors = await db.all<{ canvas_id: string; email: string }>`
    select canvas_id, email from (
      select canvas_id, roles.email, row_number() over (partition by canvas_id order by roles.email) as place
      from roles join users on users.email = roles.email and deactivated_at is null
      where canvas_id in (select key from json_each(${asKeys(entries.map(({ id }) => id))}))
        and role = 'editor' and users.id <> ${userId}) as ranked
    where place <= ${EDITORS_SHOWN} order by canvas_id, place`;
  const of = Map.groupBy(editors, ({ canvas_id }) => canvas_id);
  const withEditors = entries.map((each) => ({
    ...each,
    editors: (of.get(each.id) ?? []).map(({ email }) => email),
  }));
  return { entries: withEditors, nextCursor };
}

/** Lists the teams that a person has created, newest first. */
export const teamsToHandOver = (userId: string, { db }: Env): Promise<HandoverTeam[]> =>
  db.all<HandoverTeam>`
    select id, name, (select count(*) from team_members where team_id = teams.id) as members
    from teams where created_by = ${userId} order by id desc`;

/** What an administrator hands over. */
export interface Handover {
  /** The ids of canvases; undefined for all. */
  canvases?: string[] | undefined;
  teams: boolean;
  deactivate: boolean;
  reason: string | null;
}

/** The administrator who hands over, or the shell, and the IP address of their client. */
type By = { actor: NewAuditEntry["actor"] & { name: string } } & Pick<NewAuditEntry, "address">;

/**
 * Hands canvases, and the teams that a person has created, to another member. Each is moved on its own, with its entry of the audit log, so
 * a call that ends in the middle has moved some of them, and can be repeated: what belongs to the other member already is passed over. Moves
 * at most 1,000 canvases, the oldest first, and stops when `signal` aborts.
 *
 * The person becomes an editor of each canvas; with `deactivate` they have no role there. They are deactivated last, if nothing is left.
 */
export async function handOver(
  from: Person,
  to: Person,
  { canvases, teams, deactivate, reason }: Handover,
  by: By,
  signal: AbortSignal,
  env: Env,
): Promise<HandoverResult> {
  const left: HandoverResult["left"] = [];
  let moved = 0;
  let isFull = false;
  // One mail for all, with the first that is moved.
  const mails =
    to.id === by.actor.id ? [] : mailSteps(newId(), handoverMail(to, from, by.actor, env), by.actor.id, env);
  // An administrator who takes canvases for themself gets content that administrators do not have otherwise.
  const act = to.id === by.actor.id ? "canvas.take" : "canvas.reassign";
  for (const id of await idsOf(from, to, canvases, env)) {
    signal.throwIfAborted();
    const keeps = deactivate ? null : "editor";
    const details = { from: from.email, to: to.email, reason };
    const entry = { ...by, act, canvas: id, target: to.email, details };
    const recorded = auditEntry(entry, env);
    const outcome: "done" | "gone" | OwnerQuota = isFull
      ? "canvases.person"
      : await reassignCanvas(id, from, to.email, { keeps, recorded: recorded.statement, mails }, env);
    if (outcome === "done") {
      moved += 1;
      recorded.log();
    } else if (outcome === "gone") left.push({ id, code: "NOT_FOUND", quota: null });
    else left.push({ id, code: "QUOTA_EXCEEDED", quota: outcome });
    isFull ||= outcome === "canvases.person";
  }
  for (const { id } of teams ? await teamsToHandOver(from.id, env) : []) {
    signal.throwIfAborted();
    if (await handOverTeam(id, from, to, env)) moved += 1;
    else left.push({ id, code: "KEY_LIMIT", quota: null });
  }
  const deactivated =
    deactivate &&
    left.length === 0 &&
    (await deactivateWithoutCanvases(from.id, administratorId(by.actor), env));
  return { moved, left, remaining: await remainingOf(from, env), deactivated };
}

/**
 * Returns the ids of the canvases to move, at most 1,000, the oldest first: those with the given ids, or all of the person. Given ids of
 * canvases that belong to the other member already are left out.
 */
async function idsOf(from: Person, to: Person, given: string[] | undefined, { db }: Env): Promise<string[]> {
  if (given === undefined) {
    const rows = await db.all<{ id: string }>`
      select id from canvases where owner_id = ${from.id} and deleted_at is null order by id limit ${LIMITS.pageMax.value}`;
    return rows.map(({ id }) => id);
  }
  const moved = await db.all<{ id: string }>`
    select id from canvases where id in (select key from json_each(${asKeys(given)})) and owner_id = ${to.id}`;
  const passed = new Set(moved.map(({ id }) => id));
  return given.filter((id) => !passed.has(id));
}

/**
 * Makes a member the creator of a team, and so the one who may change it. Returns false if the team has gone to somebody else or is deleted,
 * or if the member has as many teams as one person may.
 */
async function handOverTeam(id: string, from: Person, to: Person, { db }: Env): Promise<boolean> {
  const outcome = await db.batch([
    // Locks the row of the member, as `createTeam` does, so that their teams are counted one change after the other.
    sql`update users set name = name where id = ${to.id} and deactivated_at is null`,
    sql`update teams set created_by = ${to.id} where id = ${id} and created_by = ${from.id}
      and (select count(*) from teams as others where others.created_by = ${to.id}) < ${LIMITS.teamsPerPerson.value}`,
  ]);
  return outcome === "done";
}

/** Counts the canvases that a person owns, without deleted ones. */
async function remainingOf({ id }: Person, { db }: Env): Promise<number> {
  const [row] = await db.all<{ canvases: number }>`
    select count(*) as canvases from canvases where owner_id = ${id} and deleted_at is null`;
  return Number(row?.canvases);
}
