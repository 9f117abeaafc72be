import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { refuse } from "./refusal.ts";

/** Time for which the result of a readiness check is reused. */
const CACHED_MS = 1_000;

/**
 * Mounts `/healthz`, which succeeds while the process runs, and `/readyz`, which checks the database, the blob store and the bus
 * (docs/operating.md#health-logs-and-disks). Both fail as soon as the process begins to stop.
 */
export function mountHealth(app: FastifyInstance, env: Env): void {
  app.get("/healthz", { config: { anyHost: true } }, async () => {
    if (env.stopping.aborted) refuse("UNAVAILABLE");
    return { ok: true };
  });

  let checkedAt = Number.NEGATIVE_INFINITY;
  let isReady = Promise.resolve(false);
  app.get("/readyz", { config: { anyHost: true } }, async () => {
    // Compares the absolute difference, because the clock may have been set back.
    if (Math.abs(env.clock() - checkedAt) >= CACHED_MS) {
      checkedAt = env.clock();
      isReady = check(env);
    }
    if (env.stopping.aborted || !(await isReady)) refuse("UNAVAILABLE");
    return { ok: true };
  });
}

/** The stores that the service cannot do without, each with a call that changes no data and fails if the store does. */
export const STORES: readonly {
  name: string;
  ask(drivers: Pick<Env, "db" | "blobs" | "bus">): Promise<unknown>;
}[] = [
  { name: "database", ask: ({ db }) => db.withReserve.run`update instance set joined_at = joined_at` },
  { name: "blobs", ask: ({ blobs }) => blobs.tryWrite() },
  { name: "bus", ask: ({ bus }) => bus.publish("ready", "") },
];

/**
 * Whether the service can write to the database and the blob store and publish on the bus. Changes no data. Logs the error if it cannot.
 */
async function check(env: Env): Promise<boolean> {
  try {
    await Promise.all(STORES.map(({ ask }) => ask(env)));
    return true;
  } catch (error) {
    env.log.error({ err: error }, "the readiness check failed");
    return false;
  }
}
