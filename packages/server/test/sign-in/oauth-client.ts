import assert from "node:assert/strict";
import { type Answer, type Header, send } from "@easel/conformance/http";
import {
  allowInsecureRequests,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  None,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import { FORM, post } from "../support/client.ts";

export const CLIENT = "easel-cli";
export const REDIRECT_URI = "http://127.0.0.1:49152/callback";
export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** Finds the endpoints of a service as the command line does. */
export const discover = (base: string): Promise<Configuration> =>
  discovery(new URL(base), CLIENT, undefined, None(), {
    algorithm: "oauth2",
    execute: [allowInsecureRequests],
  });

/** An authorization request, with the secrets of the program that sends it. */
export interface Attempt {
  url: URL;
  verifier: string;
  state: string;
}

/** Creates an authorization request. `changes` replace its parameters; null removes one. */
export async function newAttempt(
  base: string,
  changes: Record<string, string | null> = {},
): Promise<Attempt> {
  const verifier = randomPKCECodeVerifier();
  const state = randomState();
  const url = new URL("/oauth/authorize", base);
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: CLIENT,
    redirect_uri: REDIRECT_URI,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    host: "adas-laptop",
  }).toString();
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return { url, verifier, state };
}

/** Opens an address of the service as a browser does. */
export const openPage = (url: URL, headers: Header[]): Promise<Answer> =>
  send(url.origin, {
    method: "GET",
    path: url.pathname + url.search,
    headers: [["Accept", "text/html"], ...headers],
  });

/** Returns the ticket in the form of a page. */
export function ticketOf({ status, text }: Answer): string {
  assert.equal(status, 200, text);
  return /name="ticket" value="([^"]+)"/.exec(text)?.[1] ?? assert.fail(text);
}

/** Submits a form of the service as a browser does. */
export const submitTo = (
  base: string,
  path: string,
  headers: Header[],
  fields: Record<string, string>,
): Promise<Answer> =>
  post(
    base,
    path,
    [FORM, ["Accept", "text/html"], ["Origin", base], ...headers],
    new URLSearchParams(fields).toString(),
  );

/** Opens the page of an authorization request and answers its question. Returns the URL to which the browser is redirected. */
export async function answerAttempt({ url }: Attempt, headers: Header[], answer: string): Promise<URL> {
  const ticket = ticketOf(await openPage(url, headers));
  const {
    status,
    headers: sent,
    text,
  } = await submitTo(url.origin, url.pathname, headers, { ticket, answer });
  assert.equal(status, 303, text);
  return new URL(sent.location ?? "");
}

/** Sends a form as a program does, without cookies. */
export const callAs = (base: string, path: string, fields: Record<string, string>): Promise<Answer> =>
  post(base, path, [FORM], new URLSearchParams({ client_id: CLIENT, ...fields }).toString());

/** Exchanges an authorization code for a token. `changes` replace the fields of the request. */
export const exchange = (
  { url, verifier }: Attempt,
  code: string | null,
  changes: Record<string, string> = {},
): Promise<Answer> =>
  callAs(url.origin, "/oauth/token", {
    grant_type: "authorization_code",
    code: code ?? "",
    redirect_uri: url.searchParams.get("redirect_uri") ?? "",
    code_verifier: verifier,
    ...changes,
  });

/** Asserts that a response is an OAuth error (RFC 6749, section 5.2). */
export function failed({ status, headers, text, json }: Answer, error: string, expected = 400): void {
  assert.deepEqual([status, json.error], [expected, error], text);
  assert.match(String(json.error_description), /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  assert.match(String(headers["cache-control"]), /no-store/);
  assert.match(String(headers["content-type"]), /^application\/json/);
}
