import type { Base } from "../config/addresses.ts";
import type { Query } from "../http/query.ts";
import { Refusal, redirect, refuse } from "../http/refusal.ts";
import { type AskedAccess, readAskedAccess } from "./asked-access.ts";
import { CLIENT_ID } from "./command-line-client.ts";
import { type OAuthErrorCode, refuseOAuth } from "./oauth-error.ts";

/** The parameters of an authorization request (RFC 6749, section 4.1.1; RFC 7636). Others are ignored. */
const PARAMETERS = [
  ...["response_type", "client_id", "redirect_uri", "state", "scope", "code_challenge"],
  ...["code_challenge_method", "host", "canvas"],
];

/**
 * Matches the redirect URIs of programs on the person's own computer (RFC 8252, section 7.3). Excludes `localhost`, which could resolve to
 * another computer.
 */
const LOOPBACK_URI = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):[1-9]\d{1,4}\/[\w.~/-]{0,200}$/;
const STATE = /^[\x20-\x7e]{1,256}$/;
/** Matches a PKCE code challenge, which is the SHA-256 hash of the verifier in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

/** An authorization request that has been checked. */
export interface AuthorizationRequest {
  redirectUri: string;
  challenge: string;
  state: string | null;
  asked: AskedAccess;
}

/**
 * Reads an authorization request. Throws a Refusal without a redirect if the client or the redirect URI is wrong, because a redirect could
 * then lead anywhere. For every other error, throws a redirect that reports the error to the program.
 */
export function readAuthorizationRequest(query: Query, base: Base): AuthorizationRequest {
  if (query.client_id !== CLIENT_ID) refuse("INVALID_BODY", { message: "This program is not known here." });
  const redirectUri = query.redirect_uri;
  if (typeof redirectUri !== "string" || !isLoopback(redirectUri, base))
    return refuse("INVALID_BODY", { message: "The program gives no address on this computer to return to." });
  const state = typeof query.state === "string" && STATE.test(query.state) ? query.state : null;
  try {
    return { redirectUri, state, ...readRest(query) };
  } catch (error) {
    if (!(error instanceof Refusal) || typeof error.body.error !== "string") throw error;
    const fields = { error: error.body.error as OAuthErrorCode, error_description: error.message };
    return redirect(answerUrl({ redirectUri, state }, fields, base));
  }
}

/**
 * Whether a redirect URI leads to a program on the person's computer. Returns false for the port of this service, because its canvases
 * would see the code.
 */
function isLoopback(redirectUri: string, base: Base): boolean {
  const port = LOOPBACK_URI.test(redirectUri) ? URL.parse(redirectUri)?.port : undefined;
  return port !== undefined && port !== "" && port !== new URL(base.origin).port;
}

function readRest(query: Query): { challenge: string; asked: AskedAccess } {
  const repeated = PARAMETERS.find((name) => Array.isArray(query[name]));
  if (repeated !== undefined) refuseOAuth("invalid_request", `\`${repeated}\` is repeated.`);
  const param = (name: string) => (query[name] as string | undefined) || undefined;
  if (param("response_type") !== "code")
    refuseOAuth("unsupported_response_type", "`response_type` must be `code`.");
  const challenge = param("code_challenge") ?? "";
  if (!CHALLENGE.test(challenge) || param("code_challenge_method") !== "S256")
    refuseOAuth("invalid_request", "A `code_challenge` with the method S256 is required.");
  const state = param("state");
  if (state !== undefined && !STATE.test(state))
    refuseOAuth("invalid_request", "`state` must be at most 256 ASCII characters.");
  return { challenge, asked: readAskedAccess(param) };
}

/** Returns the redirect URI with the parameters of an authorization response, including the issuer `iss` (RFC 9207). */
export function answerUrl(
  { redirectUri, state }: Pick<AuthorizationRequest, "redirectUri" | "state">,
  fields: { code: string } | { error: OAuthErrorCode; error_description: string },
  { origin }: Base,
): string {
  const stated = state === null ? {} : { state };
  return `${redirectUri}?${new URLSearchParams({ ...fields, ...stated, iss: origin })}`;
}
