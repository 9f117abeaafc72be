import type { FastifyInstance } from "fastify";
import { mountPublicText } from "../content/public-text.ts";
import type { Env } from "../env.ts";
import { pageHeaders, printPage } from "../http/html.ts";
import { STYLE } from "./reference/style.ts";

/**
 * Mounts the OpenAPI document, which describes the HTTP APIs of the service, and a page that shows it. The modules that print them are loaded
 * at the first request, so that they do not delay the start.
 */
export function mountOpenApi(app: FastifyInstance, env: Env): void {
  const document = async () => (await import("./document.ts")).openApiOf(env);
  mountPublicText(app, env, {
    path: "/openapi.json",
    type: "application/json; charset=utf-8",
    print: async () => JSON.stringify(await document()),
  });
  mountPublicText(app, env, {
    path: "/reference",
    type: "text/html; charset=utf-8",
    headers: pageHeaders({ style: STYLE }),
    async print() {
      const { referenceBody } = await import("./reference/page.ts");
      return printPage({ title: "API reference", body: referenceBody(await document()), style: STYLE });
    },
  });
}
