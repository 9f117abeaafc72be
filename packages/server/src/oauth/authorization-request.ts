import { TOKEN_SCOPES, type TokenScope } from "@easel/protocol/management";
import type { Base } from "../config/addresses.ts";
import type { Env } from "../env.ts";
import type { Query } from "../http/query.ts";
import { Refusal, redirect, refuse } from "../http/refusal.ts";
import type { AppRequest } from "./apps/app-request.ts";
import { type AskedAccess, readAskedAccess } from "./asked-access.ts";
import { CLIENT_ID } from "./clients/command-line.ts";
import type { Asker } from "./clients/document-client.ts";
import { findClient } from "./clients/find-client.ts";
import type { Client } from "./clients/oauth-client.ts";
import { mayRedirectUnasked } from "./clients/unasked-redirect.ts";
import { type OAuthErrorCode, refuseOAuth } from "./program-endpoint.ts";
import { FIRST_SCOPE, requireResource } from "./resource.ts";
import { answerUrl, type WayBack } from "./way-back.ts";

/** The parameters of an authorization request that must not be repeated (RFC 6749, section 4.1.1; RFC 7636). Others are ignored. */
const PARAMETERS = [
  ...["response_type", "client_id", "redirect_uri", "state", "scope", "code_challenge"],
  "code_challenge_method",
];
/** Those of the command line alone. */
const CLI_PARAMETERS = ["host", "canvas"];

const MAX_STATE_LENGTH = 1_000;
const STATE = RegExp(`^[\\x20-\\x7e]{1,${MAX_STATE_LENGTH}}$`);
/** Matches a PKCE code challenge, which is the SHA-256 hash of the verifier in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

/** A request of the command line for a personal access token. */
export interface CliRequest extends WayBack {
  challenge: string;
  asked: AskedAccess;
}

/** An authorization request that has been checked: of the command line, or of a program that wants to be connected. */
export type AuthorizationRequest = CliRequest | AppRequest;

/** Whether a request is one of a program that wants to be connected. */
export const isOfApp = (request: AuthorizationRequest): request is AppRequest => "client" in request;

/**
 * Reads an authorization request. `from` is the person, with the address of the browser. Throws a Refusal without a redirect if the client or the redirect
 * URI is wrong, because a redirect could then lead anywhere. For every other error, throws a redirect that reports the error to the program,
 * unless it would lead to a stranger's page.
 */
export async function readAuthorizationRequest(
  query: Query,
  from: Asker,
  env: Env,
): Promise<AuthorizationRequest> {
  const { client_id: clientId, redirect_uri: redirectUri } = query;
  if (typeof clientId !== "string" || clientId === "")
    return refuse("INVALID_BODY", { message: "This program is not known here." });
  const client = await findClient(clientId, from, env);
  if (typeof redirectUri !== "string" || !client.matches(redirectUri))
    return refuse("INVALID_BODY", { message: "The program gives no address of its own to return to." });
  const state = typeof query.state === "string" && STATE.test(query.state) ? query.state : null;
  const way = { redirectUri, state };
  try {
    const rest = readRest(query, client, env.base);
    return { ...way, ...rest };
  } catch (error) {
    if (!(error instanceof Refusal) || typeof error.body.error !== "string") throw error;
    if (!mayRedirectUnasked(client, redirectUri, env)) throw error;
    const fields = { error: error.body.error as OAuthErrorCode, error_description: error.message };
    return redirect(answerUrl(way, fields, env.base));
  }
}

function readRest(
  query: Query,
  client: Client,
  base: Base,
): Omit<CliRequest, keyof WayBack> | Omit<AppRequest, keyof WayBack> {
  const isCli = client.id === CLIENT_ID;
  const single = isCli ? [...PARAMETERS, ...CLI_PARAMETERS] : PARAMETERS;
  const repeated = single.find((name) => Array.isArray(query[name]));
  if (repeated !== undefined) refuseOAuth("invalid_request", `\`${repeated}\` is repeated.`);
  const param = (name: string) => (query[name] as string | undefined) || undefined;
  if (param("response_type") !== "code")
    refuseOAuth("unsupported_response_type", "`response_type` must be `code`.");
  const challenge = param("code_challenge") ?? "";
  if (!CHALLENGE.test(challenge) || param("code_challenge_method") !== "S256")
    refuseOAuth("invalid_request", "A `code_challenge` with the method S256 is required.");
  const state = param("state");
  if (state !== undefined && !STATE.test(state))
    refuseOAuth("invalid_request", `\`state\` must be at most ${MAX_STATE_LENGTH} ASCII characters.`);
  if (isCli) return { challenge, asked: readAskedAccess(param) };
  requireResource(
    [query.resource ?? []].flat().filter((each) => each !== ""),
    base,
  );
  const { id, kind, name, host, verified } = client;
  return { challenge, client: { id, kind, name, host, verified }, scope: highestScope(param("scope")) };
}

/**
 * Returns the highest of the scopes that a program asks for. Scopes that are not known, such as `offline_access`, are ignored. Without a known
 * one, it is the scope that programs are told to ask for.
 */
const highestScope = (asked = ""): TokenScope =>
  TOKEN_SCOPES.find((scope) => asked.split(" ").includes(scope)) ?? FIRST_SCOPE;
