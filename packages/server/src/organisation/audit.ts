import { newId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";

/** Who did what, to which canvas or what else, from where. Never holds a secret. */
export interface AuditEntry {
  actor: { id: string; email: string };
  act: string;
  canvas: string | null;
  target: string | null;
  /** Address of the client. */
  address: string;
  details: object | null;
}

/** Keeps an entry; durable when the promise resolves. */
export async function record(
  { actor, act, canvas, target, address, details }: AuditEntry,
  env: Env,
): Promise<void> {
  await env.db.run`
    insert into audit (id, at, actor_id, actor_email, act, canvas_id, target, address, details)
    values (${newId()}, ${env.clock()}, ${actor.id}, ${actor.email}, ${act}, ${canvas}, ${target}, ${address},
      ${details === null ? null : JSON.stringify(details)})`;
}

/** An entry as it was kept. */
export interface AuditRow {
  id: string;
  at: number;
  actor_id: string;
  actor_email: string;
  act: string;
  canvas_id: string | null;
  target: string | null;
  address: string;
  /** JSON text. */
  details: string | null;
}

/** Entries, newest first, from before `cursor`: all of them, or those of one canvas. */
export function listAudit(
  { canvas, cursor, limit }: { canvas: string | null; cursor: string; limit: number },
  { db }: Env,
): Promise<AuditRow[]> {
  // Two statements, so that each is a walk along its index.
  return canvas === null
    ? db.all<AuditRow>`
        select id, at, actor_id, actor_email, act, canvas_id, target, address, details from audit
        where id < ${cursor} order by id desc limit ${limit}`
    : db.all<AuditRow>`
        select id, at, actor_id, actor_email, act, canvas_id, target, address, details from audit
        where canvas_id = ${canvas} and id < ${cursor} order by id desc limit ${limit}`;
}
