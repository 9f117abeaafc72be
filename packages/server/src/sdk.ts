import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { FastifyInstance } from "fastify";
import { challenge } from "./auth/challenge.ts";
import { identify } from "./auth/index.ts";
import { isFresh } from "./content/conditional.ts";
import type { Env } from "./env.ts";

const BUNDLE = path.join(import.meta.dirname, "../../sdk/dist/v1.js");

/** `GET /sdk/v1.js`: the same bytes for everyone who is signed in (specification 4.11). */
export function mountSdk(app: FastifyInstance, env: Env): void {
  let bundle: { bytes: Buffer; etag: string } | undefined;

  app.get("/sdk/v1.js", async (request, reply) => {
    if ((await identify(request.raw, env)) === null) challenge(request.raw, "api", env);
    if (bundle === undefined) {
      const bytes = await readFile(BUNDLE).catch(() => undefined);
      if (bytes === undefined) {
        return reply
          .code(503)
          .type("text/plain; charset=utf-8")
          .send("The SDK has not been built: npm run build\n");
      }
      bundle = { bytes, etag: `"${hash("sha256", bytes, "hex").slice(0, 32)}"` };
    }
    reply.header("etag", bundle.etag).header("cache-control", "public, max-age=3600");
    if (isFresh(request.headers, bundle.etag)) return reply.code(304).send();
    return reply.type("application/javascript; charset=utf-8").send(bundle.bytes);
  });
}
