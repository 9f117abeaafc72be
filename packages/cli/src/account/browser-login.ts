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
import { startLoopback } from "./loopback.ts";
import type { AskedAccess, TokenResponse } from "./token-response.ts";
import { untilAborted } from "./until-aborted.ts";

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
