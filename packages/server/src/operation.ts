import type { FastifyInstance } from "fastify";
import type { Env } from "./env.ts";
import { refuse } from "./kit/refusal.ts";

const NOTHING = "0".repeat(64);

/** `/healthz`: the process is up. `/readyz`: database, blobs and bus answer (management API, section 5). */
export function mountOperation(app: FastifyInstance, env: Env): void {
  app.get("/healthz", async () => ({ ok: true }));

  app.get("/readyz", async () => {
    try {
      await Promise.all([
        env.db.get`select 1 as ready`,
        env.blobs.get(NOTHING),
        env.bus.publish("ready", ""),
      ]);
    } catch (error) {
      env.log.error({ err: error }, "not ready");
      refuse("UNAVAILABLE");
    }
    return { ok: true };
  });
}
