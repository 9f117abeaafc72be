import type { IncomingMessage } from "node:http";
import { isToken, newId, newToken, tokenHash } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { cookiesNamed, hostOnly, setCookie } from "../http/cookies.ts";

/*
 * A pending sign-in is not stored on the server, so that any node can finish it, in any number of tabs. The browser keeps one random token
 * in a cookie, the binding. `state` contains the sign-in and the hash of the binding, signed, and is valid in that browser only. The PKCE
 * verifier and the nonce are derived from the binding, which the provider never sees.
 */

const LIFETIME_MS = 10 * 60_000;
/** Longest return path kept in `state`, because some providers limit the length of URLs. */
const MAX_RETURN_LENGTH = 2_000;

/** A pending sign-in, as contained in `state`. */
export interface Flow {
  id: string;
  /** Hash of the binding of the browser that started it. */
  browser: string;
  /** Epoch milliseconds. */
  expires: number;
  /** The URL to redirect to afterwards: a result of `safeReturn`. */
  returnTo: string;
  /** Whether it replaces one with another binding. */
  restarted: boolean;
}

/** The values that link an authorization response to a flow. */
export interface Proof {
  state: string;
  nonce: string;
  pkceVerifier: string;
}

const cookieName = (env: Env) => hostOnly("easel_login", env.base.secure);

/** Returns the binding of the browser; undefined when it has none. */
export const bindingOf = (request: IncomingMessage, env: Env): string | undefined =>
  cookiesNamed(request.headers.cookie, cookieName(env)).find(isToken);

/** Starts a sign-in. `cookie` is the `Set-Cookie` header that binds it to the browser. */
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

/** Parses and verifies a `state`, without checking its browser or expiry; null when its signature is invalid. */
export function readFlow(state: string, env: Env): Flow | null {
  const [text = "", signature = "", ...more] = state.split(".");
  if (more.length > 0 || !env.signer.verifies(signature, "login", text)) return null;
  return JSON.parse(Buffer.from(text, "base64url").toString()) as Flow;
}

/** Returns the proof of a flow; null when another browser started it. */
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
