import type { IncomingMessage } from "node:http";
import { isToken, newId, newToken, tokenHash } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { cookiesNamed, hostOnly, setCookie } from "../http/request-headers.ts";

/*
 * A pending sign-in is not stored on the server, so any node can finish it, and several tabs can sign in at once. The browser keeps a
 * random token in a cookie: the binding. The OAuth parameter `state` contains the sign-in and the hash of the binding. `state` is signed,
 * and valid only in that browser. The PKCE verifier and the nonce are derived from the binding, which the provider never sees.
 */

const LIFETIME_MS = 10 * 60_000;
/** The maximum length of the return URL in `state`; a longer one is replaced by `/`. Some providers limit the length of URLs. */
const MAX_RETURN_LENGTH = 2_000;

/** A pending sign-in, as contained in the OAuth parameter `state`. */
export interface Flow {
  id: string;
  /** The hash of the binding, a random token in a cookie of the browser that started the sign-in. */
  browser: string;
  /** When the sign-in expires, in epoch milliseconds. */
  expires: number;
  /** The URL to redirect to after the sign-in: a result of `safeReturn`. */
  returnTo: string;
  /** Whether this is the second attempt: the browser no longer had the binding of the first one. There is no third attempt. */
  restarted: boolean;
}

/** The values by which the provider's response is verified to belong to a pending sign-in. */
export interface Proof {
  state: string;
  nonce: string;
  pkceVerifier: string;
}

const cookieName = (env: Env) => hostOnly("easel_login", env.base.secure);

/** Returns the binding in the cookie of the browser, or undefined if there is none. */
export const bindingOf = (request: IncomingMessage, env: Env): string | undefined =>
  cookiesNamed(request.headers.cookie, cookieName(env)).find(isToken);

/**
 * Starts a sign-in. Returns the values by which the provider's response will be verified, and the `Set-Cookie` header that binds the
 * sign-in to the browser (decision 008).
 */
export function startFlow(
  request: IncomingMessage,
  { returnTo, restarted }: Pick<Flow, "returnTo" | "restarted">,
  env: Env,
): { proof: Proof; cookie: string } {
  const binding = bindingOf(request, env) ?? newToken();
  const flow: Flow = {
    id: newId(),
    browser: tokenHash(binding),
    expires: env.clock() + LIFETIME_MS,
    returnTo: returnTo.length > MAX_RETURN_LENGTH ? "/" : returnTo,
    restarted,
  };
  const text = Buffer.from(JSON.stringify(flow)).toString("base64url");
  const state = `${text}.${env.signer.sign("login", text)}`;
  const cookie = setCookie(cookieName(env), binding, { maxAge: LIFETIME_MS, secure: env.base.secure });
  return { proof: proofOf(flow, state, binding), cookie };
}

/**
 * Verifies the signature of a `state` parameter and returns the sign-in in it, or null if the signature is invalid. Does not check the
 * browser and the expiry.
 */
export function readFlow(state: string, env: Env): Flow | null {
  const [text = "", signature = "", ...more] = state.split(".");
  if (more.length > 0 || !env.signer.verifies(signature, "login", text)) return null;
  return JSON.parse(Buffer.from(text, "base64url").toString()) as Flow;
}

/** Returns the values by which the response to a sign-in is verified, or null if another browser started the sign-in. */
export function findProof(request: IncomingMessage, flow: Flow, state: string, env: Env): Proof | null {
  const binding = cookiesNamed(request.headers.cookie, cookieName(env)).find(
    (each) => isToken(each) && tokenHash(each) === flow.browser,
  );
  return binding === undefined ? null : proofOf(flow, state, binding);
}

const proofOf = ({ id }: Flow, state: string, binding: string): Proof => ({
  state,
  nonce: tokenHash(`nonce ${binding} ${id}`),
  pkceVerifier: tokenHash(`pkce ${binding} ${id}`),
});
