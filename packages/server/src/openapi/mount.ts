import type { FastifyInstance } from "fastify";
import { mountPublicText } from "../content/service-files.ts";
import type { Env } from "../env.ts";

/** The documents of one API each, and the beginning of its paths. */
const PARTS = { "/openapi/runtime.json": "/v1/", "/openapi/management.json": "/api/" };

/**
 * Mounts the OpenAPI document, which describes the HTTP APIs of the service, and the same in parts. `/reference` leads to the documentation
 * of the APIs. The modules that print the document are loaded at the first request, so that they do not delay the start.
 */
export function mountOpenApi(app: FastifyInstance, env: Env): void {
  const document = async () => (await import("./document.ts")).openApiOf(env);
  mountPublicText(app, env, {
    path: "/openapi.json",
    type: "application/json; charset=utf-8",
    print: async () => JSON.stringify(await document()),
  });
  for (const [path, prefix] of Object.entries(PARTS))
    mountPublicText(app, env, {
      path,
      type: "application/json; charset=utf-8",
      async print() {
        const { documentPart } = await import("./document-part.ts");
        return JSON.stringify(documentPart(await document(), prefix));
      },
    });
  app.get("/reference", async (_request, reply) => reply.redirect("/docs/http/runtime"));
}
