import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import type { Context } from "../context.ts";
import { openBrowser } from "./browser.ts";
import type { AskedAccess, TokenResponse } from "./discovery.ts";
import { untilAborted } from "./until-aborted.ts";

const PATH = "/callback";

const page = (title: string, text: string) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:26rem;margin:15vh auto;padding:0 1rem}</style>
<h1>${title}</h1><p>${text}</p>`;

const ALLOWED = page("You are signed in", "Go back to your terminal. You can close this window.");
const DENIED = page("Not signed in", "The command line gets no access. You can close this window.");

/** A server on this computer that waits for the redirect at the end of a sign-in. */
export interface Loopback {
  redirectUri: string;
  /** Resolves with the URL of the redirect that has this `state`. */
  redirected(state: string): Promise<URL>;
  close(): void;
}

/**
 * Starts a server on a free port of 127.0.0.1 (RFC 8252, section 7.3). The server accepts one request with the expected `state`. All other
 * requests get 404.
 */
export async function startLoopback(): Promise<Loopback> {
  const answered = Promise.withResolvers<URL>();
  let expected: string | undefined;
  const server = http.createServer((request, response) => {
    const url = URL.parse(request.url ?? "", redirectUri);
    const isOurs =
      request.method === "GET" &&
      url?.pathname === PATH &&
      expected !== undefined &&
      url.searchParams.get("state") === expected;
    response.setHeader("connection", "close");
    if (!isOurs) return void response.writeHead(404).end();
    expected = undefined;
    response
      .writeHead(200, {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      })
      .end(url.searchParams.has("code") ? ALLOWED : DENIED, () => answered.resolve(url));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
  return {
    redirectUri,
    redirected(state) {
      expected = state;
      return answered.promise;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Signs in with the browser of this computer. Receives the authorization code by a loopback redirect (RFC 8252) and uses PKCE. */
export async function signInByBrowser(
  config: Configuration,
  asked: AskedAccess,
  context: Context,
): Promise<TokenResponse> {
  const { terminal, signal } = context;
  const loopback = await startLoopback();
  try {
    const verifier = randomPKCECodeVerifier();
    const state = randomState();
    const { href } = buildAuthorizationUrl(config, {
      ...asked,
      redirect_uri: loopback.redirectUri,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
    });
    const redirected = loopback.redirected(state);
    terminal.say(`Opening your browser. If it does not open, go to\n\n  ${href}\n`);
    await openBrowser(href, context);
    const stop = await terminal.wait("Waiting for the browser");
    try {
      const url = await untilAborted(redirected, signal);
      return await authorizationCodeGrant(config, url, { pkceCodeVerifier: verifier, expectedState: state });
    } finally {
      stop();
    }
  } finally {
    loopback.close();
  }
}
