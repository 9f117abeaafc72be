import type { Json } from "@easel/protocol/types";
import type { Env } from "../env.ts";
import { newId } from "../kit/ids.ts";

/** Who did what, to which canvas or what else, from where. Never holds a secret. */
export interface AuditEntry {
  actor: { id: string; email: string };
  act: string;
  canvas: string | null;
  target: string | null;
  /** Address of the client. */
  address: string;
  details: Record<string, Json> | null;
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
