import type { FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { referringCanvas } from "./referring-canvas.ts";

/**
 * Matches the paths of the runtime API and of the sign-in. A request to such a path was meant for the service, not for a file of a canvas.
 */
const OWN_PATHS = /^\/(v1|auth)([/?]|$)/;

/**
 * Throws 404 `NOT_FOUND` for a path without a route. If a canvas page in path mode requested the path, the message advises its author to
 * use relative addresses. Only the `Referer` decides this, so the message reveals nothing about the canvas.
 */
export async function refuseUnknownPath(request: FastifyRequest, env: Env): Promise<never> {
  const isOfPage = env.base.urlMode === "path" && referringCanvas(request.headers, env) !== null;
  if (!isOfPage || OWN_PATHS.test(request.url)) refuse("NOT_FOUND");
  return refuse("NOT_FOUND", {
    message:
      'The page that asked for this was built for the root of a host, but the files of a canvas are below its own address. Use relative addresses; with Vite, set `base: "./"`.',
  });
}
