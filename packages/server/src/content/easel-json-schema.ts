import type { FastifyInstance } from "fastify";
import { jsonSchema } from "../canvases/publishing/easel-json.ts";
import type { Env } from "../env.ts";
import { mountPublicText } from "./public-text.ts";

/** The path of the JSON Schema of `easel.json`, the configuration file in a bundle. */
const PATH = "/schema/easel.json";

/**
 * Mounts the JSON Schema of `easel.json`. It is public, because editors load it without a session. Pages of any origin can read it, because
 * some editors run in a browser.
 */
export function mountSchema(app: FastifyInstance, env: Env): void {
  mountPublicText(app, env, {
    path: PATH,
    type: "application/schema+json; charset=utf-8",
    print({ base }) {
      const { $schema, ...schema } = jsonSchema();
      return JSON.stringify({ $schema, $id: base.origin + PATH, ...schema });
    },
  });
}
