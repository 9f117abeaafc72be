import { LEASE_MS } from "../../drivers/bus/bus.ts";
import type { Env } from "../../env.ts";
import { renewLeases, settleLost } from "../../organisation/ai/reservations.ts";

/** Leases are renewed often enough that one failed renewal does not end them. */
const INTERVAL_MS = LEASE_MS / 3;

/**
 * Keeps the requests of this process open, and settles those of processes that have ended. Returns a function that stops this and waits for
 * the work that is running.
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
