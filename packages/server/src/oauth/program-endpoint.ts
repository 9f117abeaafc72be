import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { requireSameOrigin } from "../http/csrf.ts";
import { networkOf } from "../http/network.ts";
import { take } from "../http/rate-limit.ts";
import { requireClient } from "./command-line-client.ts";
import { type OAuthErrorCode, refuseOAuth } from "./oauth-error.ts";
import { readForm } from "./oauth-form.ts";

/** An endpoint to which programs send forms. */
export interface ProgramEndpoint {
  path: string;
  /** How many requests a minute a network may send. */
  perMinute: number;
  /** The error of a request above that rate. */
  tooMany: OAuthErrorCode;
  /** Handles the form of the command line. Returns the body of the response. */
  run(form: ReadonlyMap<string, string>, request: FastifyRequest, reply: FastifyReply): Promise<object>;
}

/**
 * Mounts an endpoint to which programs send forms. Requests of pages are refused before they are counted: programs send none of the headers by
 * which browsers name a page, and a page could use up the requests of the network of its visitor. The requests of each endpoint are counted
 * apart from others and from attempts to sign in.
 */
export function mountProgramEndpoint(
  app: FastifyInstance,
  { path, perMinute, tooMany, run }: ProgramEndpoint,
  env: Env,
): void {
  app.post(path, async (request, reply) => {
    requireSameOrigin(request.headers, env.base);
    const bucket = { rateClass: "program", owner: networkOf(request.ip), part: path } as const;
    if (!(await take(bucket, perMinute, reply, env)))
      refuseOAuth(tooMany, "Too many requests; wait a minute.", 429);
    const form = await readForm(request);
    requireClient(form);
    return reply.header("cache-control", "no-store").send(await run(form, request, reply));
  });
}
