import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { essenceOf } from "../http/body.ts";
import { requireSameOrigin } from "../http/cross-site.ts";
import { MAX_FORM_BYTES, readFields } from "../http/form-fields.ts";
import { take } from "../http/rate-limit.ts";
import { Refusal } from "../http/refusal.ts";
import { networkOf } from "../http/request-headers.ts";
import { CLIENT_ID } from "./clients/command-line.ts";

/**
 * The error codes of OAuth (RFC 6749, sections 4.1.2.1 and 5.2; RFC 8628, section 3.5; RFC 7009, section 2.2.1; RFC 7591, section 3.2.2; RFC
 * 8707, section 2).
 */
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
  | "invalid_client_metadata"
  | "invalid_target";

/**
 * Throws a `Refusal` with an OAuth error: its body has the fields `error` and `error_description`. `description` is ASCII without double
 * quotes and backslashes.
 */
export function refuseOAuth(error: OAuthErrorCode, description: string, status = 400): never {
  throw new Refusal(status, { error, error_description: description, message: description });
}

/** Throws the error `invalid_grant`. It does not say what is wrong with a secret. */
export const refuseInvalidGrant = (): never =>
  refuseOAuth(
    "invalid_grant",
    "The code or refresh token is unknown, was used, has expired or belongs to another request.",
  );

/** The fields of a form by their names. `resource` may be repeated (RFC 8707, section 2); its values are then separated by spaces. */
export type Form = ReadonlyMap<string, string>;

/** Reads a form. Throws the error `invalid_request` if the body is not a form, is too large, or repeats a field (RFC 6749, section 3.2). */
export async function readForm(request: FastifyRequest): Promise<Form> {
  if (essenceOf(request.headers["content-type"]) !== "application/x-www-form-urlencoded")
    refuseOAuth("invalid_request", "The body must be a form: application/x-www-form-urlencoded.");
  const fields = await readFields(request, () =>
    refuseOAuth("invalid_request", `The form is larger than ${MAX_FORM_BYTES} bytes.`, 413),
  );
  const form = new Map<string, string>();
  for (const [name, value] of fields) {
    if (value === "") continue;
    const before = form.get(name);
    if (before !== undefined && name !== "resource")
      refuseOAuth("invalid_request", "A field of the form is repeated.");
    form.set(name, before === undefined ? value : `${before} ${value}`);
  }
  return form;
}

/**
 * Returns the form of a program with the field `client_id`, which some programs send as the user name of HTTP Basic (RFC 6749, section 2.3.1).
 * No client has a secret, so a password is not looked at. Throws `invalid_client` if no client is named, or two.
 */
function withClientId(form: Form, authorization: string | undefined): Form {
  const [, basic] = /^basic +([\w+/]+={0,2})$/i.exec(authorization ?? "") ?? [];
  const named = basic === undefined ? undefined : userNameOf(basic);
  const clientId = form.get("client_id") ?? named;
  if (clientId === undefined || (named ?? clientId) !== clientId)
    return refuseOAuth("invalid_client", "The request must name one client as `client_id`.");
  return new Map([...form, ["client_id", clientId]]);
}

/** Returns the user name of HTTP Basic. Programs encode it, except that some send the colon of a URL as it is. */
function userNameOf(basic: string): string | undefined {
  const text = Buffer.from(basic, "base64").toString();
  try {
    return decodeURIComponent(text.slice(0, text.lastIndexOf(":")).replaceAll("+", " ")) || undefined;
  } catch {
    return undefined;
  }
}

/** A PKCE verifier (RFC 7636, section 4.1). */
const VERIFIER = /^[\w.~-]{43,128}$/;

/** Returns the PKCE verifier of a form. Throws `invalid_request` if it is missing or malformed. */
export function verifierOf(form: Form): string {
  const verifier = form.get("code_verifier") ?? "";
  return VERIFIER.test(verifier)
    ? verifier
    : refuseOAuth("invalid_request", "`code_verifier` is missing or malformed.");
}

/** Throws the error `invalid_client` unless a form is one of the command line. */
export function requireCommandLine(form: Form): void {
  if (form.get("client_id") !== CLIENT_ID)
    refuseOAuth("invalid_client", "Only the command line may do this.");
}

/** An endpoint to which programs send forms. */
export interface ProgramEndpoint {
  path: string;
  /** How many requests a minute a network may send. */
  perMinute: number;
  /** The error of a request above that rate. */
  tooMany: OAuthErrorCode;
  /** Handles the form of a program, which has the field `client_id`. Returns the body of the response. */
  run(form: Form, request: FastifyRequest, reply: FastifyReply): Promise<object>;
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
    const form = withClientId(await readForm(request), request.headers.authorization);
    return reply.header("cache-control", "no-store").send(await endpoint.run(form, request, reply));
  });
}
