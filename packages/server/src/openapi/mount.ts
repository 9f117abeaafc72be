import type { FastifyInstance } from "fastify";
import { mountPublicText } from "../content/public-text.ts";
import type { Env } from "../env.ts";
import { pageHeaders, printPage } from "../http/html.ts";
import { openApiOf } from "./document.ts";
import { referenceBody } from "./reference/page.ts";
import { STYLE } from "./reference/style.ts";

/** Mounts the OpenAPI document, which describes the HTTP APIs of the service, and a page that shows it. */
export function mountOpenApi(app: FastifyInstance, env: Env): void {
  mountPublicText(app, env, {
    path: "/openapi.json",
    type: "application/json; charset=utf-8",
    print: () => JSON.stringify(openApiOf(env)),
  });
  mountPublicText(app, env, {
    path: "/reference",
    type: "text/html; charset=utf-8",
    headers: pageHeaders(STYLE),
    print: () => printPage({ title: "API reference", body: referenceBody(openApiOf(env)), style: STYLE }),
  });
}
