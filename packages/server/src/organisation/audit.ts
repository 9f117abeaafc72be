import type { Via } from "@easel/protocol/management";
import type { Json } from "@easel/protocol/types";
import { nextTurn } from "../async/next-turn.ts";
import type { CanvasData } from "../canvases/canvas-data.ts";
import { newId } from "../crypto/ids.ts";
import { type Sql, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { AS_ACTOR, AS_TARGET } from "./audit-of-person.ts";
import { DAY_MS } from "./days.ts";

/** The number of entries that one statement removes. */
const REMOVED_AT_ONCE = 1_000;

/** Returns the beginning of ids that were made at a time in epoch milliseconds. */
export function idAt(time: number): string {
  const hex = Math.max(0, time).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** The audit log, which is kept for good unless SERVICE_AUDIT_KEEP_DAYS says otherwise. */
export const auditData: CanvasData = {
  otherTables: ["audit"],
  cleanUps: [
    {
      what: "old entries of the audit log",
      keptMs: ({ auditKeepDays }) => (auditKeepDays === 0 ? null : auditKeepDays * DAY_MS),
      async remove(until, { db }) {
        let removed = REMOVED_AT_ONCE;
        while (removed === REMOVED_AT_ONCE) {
          removed = await db.withReserve.run`
            delete from audit where id in (
              select id from audit where id < ${idAt(until)} order by id limit ${REMOVED_AT_ONCE})`;
          await nextTurn();
        }
      },
    },
  ],
  people: {
    audit: {
      ids: ["actor_id", "target"],
      emails: ["actor_email", "target"],
      at: "at",
      erased: "kept",
      exported: {
        part: "audit",
        columns: AS_ACTOR,
        order: ["id"],
        views: { target: AS_TARGET },
      },
    },
  },
};

/** A new entry of the audit log. Contains no secrets. */
export interface NewAuditEntry {
  actor: { id: string; email: string };
  act: string;
  canvas: string | null;
  target: string | null;
  /** The IP address of the client. */
  address: string;
  details: object | null;
  /** The program and the tool through which the actor acted; null or absent for other requests. */
  via?: Via | null;
}

/** An entry that is written in a batch with what it records. */
interface PreparedEntry {
  /** Writes the entry. */
  statement: Sql;
  /** Writes the entry as a line of the log, for programs that collect these. Called once the batch is committed. */
  log(): void;
}

/** An entry of the audit log as a line of the log has it. */
interface LoggedEntry extends Pick<NewAuditEntry, "actor" | "act" | "target" | "address"> {
  id: string;
  at: number;
  canvasId: string | null;
  details: Json | object | null;
  via: Via | null;
}

const logAudit = (audit: LoggedEntry, log: Env["log"]): void => log.info({ audit }, audit.act);

/** Writes an entry that another process has written into the audit log as a line of the log. */
export function logAuditRow(
  { id, at, actor_id, actor_email, act, canvas_id, target, address, details, ...row }: AuditRow,
  { log }: Pick<Env, "log">,
): void {
  const actor = { id: actor_id, email: actor_email };
  const parsed = details === null ? null : (JSON.parse(details) as Json);
  logAudit(
    { id, at, actor, act, canvasId: canvas_id, target, address, details: parsed, via: viaOf(row) },
    log,
  );
}

/** Prepares an entry of the audit log. */
export function auditEntry(entry: NewAuditEntry, { clock, log }: Pick<Env, "clock" | "log">): PreparedEntry {
  const { actor, act, canvas, target, address, details, via = null } = entry;
  const [id, at] = [newId(), clock()];
  return {
    statement: sql`
      insert into audit (id, at, actor_id, actor_email, act, canvas_id, target, address, details, via)
      values (${id}, ${at}, ${actor.id}, ${actor.email}, ${act}, ${canvas}, ${target}, ${address},
        ${details === null ? null : JSON.stringify(details)}, ${via === null ? null : JSON.stringify(via)})`,
    log() {
      const who = { id: actor.id, email: actor.email };
      logAudit({ id, at, actor: who, act, canvasId: canvas, target, address, details, via }, log);
    },
  };
}

/** Writes an entry to the audit log. The entry is durable when the promise resolves. */
export async function writeAudit(entry: NewAuditEntry, env: Env): Promise<void> {
  const { statement, log } = auditEntry(entry, env);
  await env.db.withReserve.run(...statement);
  log();
}

/** A row of the audit log. `at` is in epoch milliseconds. */
export interface AuditRow {
  id: string;
  at: number;
  actor_id: string;
  actor_email: string;
  act: string;
  canvas_id: string | null;
  target: string | null;
  address: string;
  /** The details as JSON text. */
  details: string | null;
  /** The program and the tool through which the actor acted, as JSON text. */
  via: string | null;
}

/** Returns the program and the tool of an entry, or null if there are none. */
export const viaOf = ({ via }: Pick<AuditRow, "via">): Via | null =>
  via === null ? null : (JSON.parse(via) as Via);

/**
 * Lists entries of the audit log of a canvas with ids below `cursor`, newest first. If `acts` is not null, lists only the entries of these
 * acts.
 */
export async function listOfCanvas(
  {
    canvas,
    acts,
    cursor,
    limit,
  }: { canvas: string; acts: readonly string[] | null; cursor: string; limit: number },
  env: Env,
): Promise<AuditRow[]> {
  if (acts === null)
    return env.db.all<AuditRow>`
      select id, at, actor_id, actor_email, act, canvas_id, target, address, details, via from audit
      where canvas_id = ${canvas} and id < ${cursor} order by id desc limit ${limit}`;
  // One statement for each act, so that each reads the rows of a page along an index.
  const lists = await Promise.all(
    acts.map(
      (act) => env.db.all<AuditRow>`
        select id, at, actor_id, actor_email, act, canvas_id, target, address, details, via from audit
        where canvas_id = ${canvas} and act = ${act} and id < ${cursor} order by id desc limit ${limit}`,
    ),
  );
  return lists
    .flat()
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, limit);
}
