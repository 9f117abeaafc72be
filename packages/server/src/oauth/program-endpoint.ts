import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { readBody } from "../http/body.ts";
import { requireSameOrigin } from "../http/cross-site.ts";
import { take } from "../http/rate-limit.ts";
import { Refusal } from "../http/refusal.ts";
import { networkOf } from "../http/request-headers.ts";
import { CLIENT_ID } from "./clients/command-line.ts";

/** The error codes of OAuth (RFC 6749, sections 4.1.2.1 and 5.2; RFC 8628, section 3.5; RFC 7009, section 2.2.1; RFC 7591, section 3.2.2). */
export type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_scope"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "access_denied"
  | "authorization_pending"
  | "slow_down"
  | "expired_token"
  | "temporarily_unavailable"
  | "invalid_redirect_uri"
  | "invalid_client_metadata";

/**
 * Throws a `Refusal` with an OAuth error: its body has the fields `error` and `error_description`. `description` is ASCII without double
 * quotes and backslashes.
 */
export function refuseOAuth(error: OAuthErrorCode, description: string, status = 400): never {
  throw new Refusal(status, { error, error_description: description, message: description });
}

const MAX_FORM_BYTES = 8 * 1024;

/** Reads a form. Throws the error `invalid_request` if the body is not a form, is too large, or repeats a field (RFC 6749, section 3.2). */
export async function readForm(request: FastifyRequest): Promise<ReadonlyMap<string, string>> {
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded")
    refuseOAuth("invalid_request", "The body must be a form: application/x-www-form-urlencoded.");
  const body = await readBody(request.raw, MAX_FORM_BYTES, () =>
    refuseOAuth("invalid_request", `The form is larger than ${MAX_FORM_BYTES} bytes.`, 413),
  );
  const entries = [...new URLSearchParams(body.toString("utf8"))].filter(([, value]) => value !== "");
  const form = new Map(entries);
  if (form.size < entries.length) refuseOAuth("invalid_request", "A field of the form is repeated.");
  return form;
}

/** Throws the error `invalid_client` unless a form has the client id of the command line. */
function requireClient(form: ReadonlyMap<string, string>): void {
  if (form.get("client_id") !== CLIENT_ID) refuseOAuth("invalid_client", "`client_id` is unknown.");
}

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
 * Throws unless a program may send a request to an endpoint. Requests of pages are refused before they are counted: programs send none of the
 * headers by which browsers name a page, and a page could use up the requests of the network of its visitor. The requests of each endpoint
 * are counted apart from others and from attempts to sign in.
 */
export async function admitProgram(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, perMinute, tooMany }: Pick<ProgramEndpoint, "path" | "perMinute" | "tooMany">,
  env: Env,
): Promise<void> {
  requireSameOrigin(request.headers, env.base);
  const bucket = { rateClass: "program", owner: networkOf(request.ip), part: path } as const;
  if (!(await take(bucket, perMinute, reply, env)))
    refuseOAuth(tooMany, "Too many requests; wait a minute.", 429);
}

/** Mounts an endpoint to which programs send forms. */
export function mountProgramEndpoint(app: FastifyInstance, endpoint: ProgramEndpoint, env: Env): void {
  app.post(endpoint.path, async (request, reply) => {
    await admitProgram(request, reply, endpoint, env);
    const form = await readForm(request);
    requireClient(form);
    return reply.header("cache-control", "no-store").send(await endpoint.run(form, request, reply));
  });
}
