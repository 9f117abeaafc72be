import type { SpendScope, TokenUsage } from "@easel/protocol/ai";
import { newId } from "../../crypto/ids.ts";
import { asKeys, optional, sql } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { keepLease } from "../../instance/lease.ts";
import type { InstanceSettings } from "../instance-settings.ts";
import { reserveIn, type Spender, settleIn, spendRows } from "./spend-caps.ts";

/**
 * How a request ended. `done`: the response was completed. `failed`: the provider failed. `aborted`: the stream was closed before its end.
 * `lost`: the outcome was not recorded, for example because the process ended.
 */
export type Outcome = "done" | "failed" | "aborted" | "lost";

/** An open AI request. `reserved` is the amount that is reserved for its cost, in billionths of a US dollar. */
export interface Reserved extends Spender {
  id: string;
  reserved: number;
}

/** The maximum number of lost requests that are read from the database at a time. */
const LOST_BATCH = 100;

/**
 * Stores an open AI request and reserves the highest amount that it can cost (decision 032). If a cap is used up, stores nothing and
 * returns the scope of the cap, such as `user_daily`.
 */
export async function reserve(
  spender: Spender,
  { model, amount }: { model: string; amount: number },
  settings: InstanceSettings,
  { db, lease }: Env,
): Promise<Reserved | SpendScope> {
  const id = newId();
  const { userId, guest, invitedBy, canvasId, startedAt } = spender;
  // Held before the row exists, because `settleLost` settles open requests of this process that it does not hold.
  lease.held.add(id);
  let outcome: "done" | SpendScope | null = null;
  try {
    outcome = await db.batch([
      optional(...keepLease(lease.id)),
      ...spendRows(spender).flatMap((row) => reserveIn(row, amount, settings)),
      optional`
        insert into ai_requests (id, canvas_id, user_id, guest, invited_by, model, state, started_at, lease,
          reserved)
        values (${id}, ${canvasId}, ${userId}, ${Number(guest)}, ${invitedBy}, ${model}, 'open', ${startedAt},
          ${lease.id}, ${amount})`,
    ]);
    return outcome === "done" ? { ...spender, id, reserved: amount } : outcome;
  } finally {
    if (outcome !== "done") lease.held.delete(id);
  }
}

const NO_TOKENS: TokenUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationInputTokens: 0,
  cacheReadInputTokens: 0,
};

/**
 * Records the outcome, the tokens and the cost of a request, and removes its reservation. Changes nothing if the request is settled already.
 * This process no longer holds the request in any case, so that `settleLost` settles it if this call fails.
 */
export async function settle(
  request: Reserved,
  { outcome, usage = NO_TOKENS, cost }: { outcome: Outcome; usage?: TokenUsage; cost: number },
  { db, clock, lease }: Pick<Env, "db" | "clock" | "lease">,
): Promise<void> {
  try {
    await db.withReserve.batch([
      sql`
        update ai_requests set state = ${outcome}, ended_at = ${clock()}, cost = ${cost}, lease = null,
          input_tokens = ${usage.inputTokens}, output_tokens = ${usage.outputTokens},
          cache_creation_tokens = ${usage.cacheCreationInputTokens}, cache_read_tokens = ${usage.cacheReadInputTokens}
        where id = ${request.id} and lease is not null`,
      ...spendRows(request).map((row) => settleIn(row, request.reserved, cost)),
    ]);
  } finally {
    lease.held.delete(request.id);
  }
}

/**
 * Settles the open requests that no process holds, because their process has ended or could not settle them. Each costs the whole reserved
 * amount, because its tokens are unknown. Returns the number of these requests.
 */
export async function settleLost(env: Env): Promise<number> {
  const { lease } = env;
  let settled = 0;
  for (;;) {
    const lost = await env.db.all<{
      id: string;
      canvas_id: string;
      user_id: string;
      guest: number;
      invited_by: string | null;
      started_at: number;
      reserved: number;
    }>`
      select id, canvas_id, user_id, guest, invited_by, started_at, reserved from ai_requests
      where lease is not null and (lease not in (select id from live_leases)
        or lease = ${lease.id} and id not in (select key from json_each(${asKeys([...lease.held])})))
      limit ${LOST_BATCH}`;
    for (const row of lost) {
      const request = {
        id: row.id,
        userId: row.user_id,
        guest: row.guest === 1,
        invitedBy: row.invited_by,
        canvasId: row.canvas_id,
        startedAt: Number(row.started_at),
        reserved: Number(row.reserved),
      };
      await settle(request, { outcome: "lost", cost: request.reserved }, env);
    }
    settled += lost.length;
    if (lost.length < LOST_BATCH) return settled;
  }
}

/**
 * Settles lost requests now, and whenever this process has renewed its lease. Returns a function that stops this and waits for the first
 * run.
 */
export function startSettling(env: Env): () => Promise<void> {
  const { lease, log } = env;
  const work = async () => {
    try {
      const lost = await settleLost(env);
      if (lost > 0) log.warn(`settled ${lost} AI requests whose lease had expired`);
    } catch (err) {
      log.error({ err }, "AI requests are not settled");
    }
  };
  const first = work();
  const end = lease.afterDatabase(work);
  return async () => {
    end();
    await first;
  };
}
