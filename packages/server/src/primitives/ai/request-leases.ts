import { LEASE_MS } from "../../drivers/bus/bus.ts";
import type { Env } from "../../env.ts";
import { renewLeases, settleLost } from "../../organisation/ai/reservations.ts";

/** The interval between renewals of the leases. A lease outlives one failed renewal, because it lasts three intervals. */
const INTERVAL_MS = LEASE_MS / 3;

/**
 * Renews the leases of this process's open AI requests at intervals, and settles requests whose lease has expired. Returns a function that
 * stops this and waits until the current run has ended.
 */
export function startLeases(env: Env): () => Promise<void> {
  let running = Promise.resolve();
  const work = () => {
    running = running
      .then(() => renewLeases(env))
      .then(async () => {
        const lost = await settleLost(env);
        if (lost > 0) env.log.warn(`settled ${lost} AI requests whose lease had expired`);
      })
      .catch((err) => env.log.error({ err }, "AI requests are not settled"));
  };
  work();
  const timer = setInterval(work, INTERVAL_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
