import type { FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { referringCanvas } from "./referring-canvas.ts";

/** Matches the paths of the runtime API and the sign-in. A page that requests one of them is not looking for a file of its own. */
const OWN_PATHS = /^\/(v1|auth)([/?]|$)/;

/**
 * Throws 404 `NOT_FOUND` for a path without a route. If a canvas page in path mode requested the path, the message says that the page was
 * built for the root of a host. The message depends only on the `Referer`, so it reveals nothing about the canvas.
 */
export async function refuseUnknownPath(request: FastifyRequest, env: Env): Promise<never> {
  const isOfPage = env.base.urlMode === "path" && referringCanvas(request.headers, env) !== null;
  if (!isOfPage || OWN_PATHS.test(request.url)) refuse("NOT_FOUND");
  return refuse("NOT_FOUND", {
    message:
      'The page that asked for this was built for the root of a host, but the files of a canvas are below its own address. Use relative addresses; with Vite, set `base: "./"`.',
  });
}
