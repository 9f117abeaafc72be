import type { FastifyInstance } from "fastify";
import { mountPublicText } from "../content/public-text.ts";
import type { Env } from "../env.ts";
import { openApiOf } from "./document.ts";

/** Mounts the OpenAPI document, which describes the HTTP APIs of the service. */
export function mountOpenApi(app: FastifyInstance, env: Env): void {
  mountPublicText(app, env, {
    path: "/openapi.json",
    type: "application/json; charset=utf-8",
    print: () => JSON.stringify(openApiOf(env)),
  });
}
