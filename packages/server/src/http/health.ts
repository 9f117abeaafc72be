import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { refuse } from "./refusal.ts";

/** How long the outcome of a readiness check is answered again. */
const CHECKED_MS = 1_000;

/** `/healthz`: the process is up. `/readyz`: database and blobs can be written and the bus answers (management API, section 5). */
export function mountHealth(app: FastifyInstance, env: Env): void {
  app.get("/healthz", { config: { anyHost: true } }, async () => ({ ok: true }));

  let checkedAt = Number.NEGATIVE_INFINITY;
  let isReady = Promise.resolve(false);
  app.get("/readyz", { config: { anyHost: true } }, async () => {
    // The clock may be set back.
    if (Math.abs(env.clock() - checkedAt) >= CHECKED_MS) {
      checkedAt = env.clock();
      isReady = check(env);
    }
    if (!(await isReady)) refuse("UNAVAILABLE");
    return { ok: true };
  });
}

/** Writes to the database and the blob store without changing anything. */
async function check({ db, blobs, bus, log }: Env): Promise<boolean> {
  try {
    await Promise.all([
      db.run`update instance set joined_at = joined_at`,
      blobs.tryWrite(),
      bus.publish("ready", ""),
    ]);
    return true;
  } catch (error) {
    log.error({ err: error }, "not ready");
    return false;
  }
}
