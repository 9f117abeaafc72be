import { hash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { jsonSchema } from "../canvases/publishing/easel-json.ts";
import type { Env } from "../env.ts";
import { isFresh } from "../http/conditional.ts";

/** The path of the JSON Schema of `easel.json`, the configuration file in a bundle. */
const PATH = "/schema/easel.json";

/**
 * Mounts the JSON Schema of `easel.json`. It is public, because editors load it without a session. Pages of any origin can read it, because
 * some editors run in a browser.
 */
export function mountSchema(app: FastifyInstance, env: Env): void {
  let printed: { text: string; etag: string } | undefined;
  app.get(PATH, async ({ headers }, reply) => {
    if (printed === undefined) {
      const { $schema, ...schema } = jsonSchema();
      const text = JSON.stringify({ $schema, $id: env.base.origin + PATH, ...schema });
      printed = { text, etag: `"${hash("sha256", text, "hex").slice(0, 32)}"` };
    }
    reply.header("etag", printed.etag).header("cache-control", "public, max-age=3600");
    reply.header("access-control-allow-origin", "*");
    if (isFresh(headers, printed.etag)) return reply.code(304).send();
    return reply.type("application/schema+json; charset=utf-8").send(printed.text);
  });
}
