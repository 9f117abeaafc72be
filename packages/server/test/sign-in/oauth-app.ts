import assert from "node:assert/strict";
import { type Answer, type Header, send } from "@easel/conformance/http";
import type { Person } from "@easel/conformance/target";
import { JSON_TYPE, post } from "../support/client.ts";
import { toolRequest } from "../support/connected-tool.ts";
import { type Attempt, callAs, exchange, newAttempt, openPage, submitTo, ticketOf } from "./oauth-client.ts";

/** The redirect URI of the test program, on the computer of the person. */
export const APP_REDIRECT = "http://127.0.0.1:49153/callback";

/** Registers a program by its name and redirect URIs. Returns its client id. */
export async function register(
  base: string,
  client_name = "Test tool",
  redirect_uris = [APP_REDIRECT],
): Promise<string> {
  const { status, json, text } = await post(
    base,
    "/oauth/register",
    [JSON_TYPE],
    JSON.stringify({ client_name, redirect_uris }),
  );
  assert.equal(status, 201, text);
  return String(json.client_id);
}

/** An authorization request of a program that wants to be connected. */
export interface AppAttempt extends Attempt {
  clientId: string;
}

/** Creates an authorization request of a program. `changes` replace its parameters; null removes one. */
export async function newAppAttempt(
  base: string,
  clientId: string,
  changes: Record<string, string | null> = {},
): Promise<AppAttempt> {
  const attempt = await newAttempt(base, {
    client_id: clientId,
    redirect_uri: APP_REDIRECT,
    resource: `${base}/mcp`,
    scope: "full",
    host: null,
    ...changes,
  });
  return { ...attempt, clientId };
}

/** What the page offers at first, as the form sends it. */
export const CHOICES = { scope: "full", canvases: "all", confirms: "on" };

/** Submits the answer of a person. `fields` replace those of the form; an empty one is a field that is not sent. */
export async function submitConsent(
  { url }: Attempt,
  { headers }: Pick<Person, "headers">,
  fields: Record<string, string> = {},
): Promise<Answer> {
  const ticket = ticketOf(await openPage(url, headers));
  return submitTo(url.origin, url.pathname, headers, { ticket, answer: "allow", ...CHOICES, ...fields });
}

/** Lets a person allow a request. Returns the code that the program gets. */
export async function codeOf(
  attempt: Attempt,
  person: Pick<Person, "headers">,
  fields: Record<string, string> = {},
): Promise<string> {
  const { status, headers, text } = await submitConsent(attempt, person, fields);
  assert.equal(status, 303, text);
  return new URL(headers.location ?? "").searchParams.get("code") ?? assert.fail(headers.location);
}

/** Exchanges a code for tokens. `changes` replace the fields of the request; an empty one is a field that is not sent. */
export const redeemAs = (
  attempt: AppAttempt,
  code: string,
  changes: Record<string, string> = {},
): Promise<Answer> => exchange(attempt, code, { client_id: attempt.clientId, ...changes });

/** The tokens of a connected tool. */
export interface Granted {
  access_token: string;
  refresh_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
}

/** Returns the tokens in a response. */
export function grantedBy({ status, json, text, headers }: Answer): Granted {
  assert.equal(status, 200, text);
  assert.match(String(headers["cache-control"]), /no-store/);
  return json as unknown as Granted;
}

/** Connects a program to a person in the whole flow. */
export async function connectApp(
  base: string,
  clientId: string,
  person: Pick<Person, "headers">,
  fields: Record<string, string> = {},
): Promise<Granted> {
  const attempt = await newAppAttempt(base, clientId);
  return grantedBy(await redeemAs(attempt, await codeOf(attempt, person, fields)));
}

/** Sends a refresh token. `changes` replace the fields of the request. */
export const refreshAs = (
  base: string,
  clientId: string,
  refresh_token: string,
  changes: Record<string, string> = {},
): Promise<Answer> =>
  callAs(base, "/oauth/token", {
    grant_type: "refresh_token",
    client_id: clientId,
    refresh_token,
    ...changes,
  });

/** Asks for the list of the tools with an access token. */
export function listTools(base: string, token: string): Promise<Answer> {
  const asked = toolRequest("tools/list");
  const headers: Header[] = [["Authorization", `Bearer ${token}`], ...asked.headers];
  return send(base, { method: "POST", path: "/mcp", headers, body: asked.body });
}
