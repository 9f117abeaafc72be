import type { IncomingMessage } from "node:http";
import { isToken, newId, newToken, tokenHash } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { cookiesNamed, hostOnly, setCookie } from "../http/cookies.ts";

/*
 * A sign-in under way leaves nothing on the server, so any node may end what another began, in any number of tabs. The
 * browser keeps one random token, the binding. `state` is the sign-in itself, signed, with the hash of the binding: it counts
 * in that browser only. The PKCE verifier and the nonce follow from the binding, which the provider never sees.
 */

const LIFETIME = 10 * 60_000;
/** A longer way back does not fit into the addresses that some providers take. */
const LONGEST_RETURN = 2_000;

/** A sign-in under way, as `state` carries it. */
export interface Flow {
  id: string;
  /** Hash of the binding of the browser that began it. */
  browser: string;
  /** Epoch milliseconds. */
  expires: number;
  /** Where to go afterwards: a value of `safeReturn`. */
  returnTo: string;
  /** Whether it takes the place of one whose binding was lost. */
  restarted: boolean;
}

/** What proves towards the provider that an answer belongs to a flow. */
export interface Proof {
  state: string;
  nonce: string;
  pkceVerifier: string;
}

const cookieName = (env: Env) => hostOnly("easel_login", env.base.secure);

/** The binding of the browser; undefined when it has none. */
export const bindingOf = (request: IncomingMessage, env: Env): string | undefined =>
  cookiesNamed(request.headers.cookie, cookieName(env)).find(isToken);

/** Begins a sign-in. `cookie` is the `Set-Cookie` header that binds it to the browser. */
export function beginFlow(
  request: IncomingMessage,
  { returnTo, restarted }: Pick<Flow, "returnTo" | "restarted">,
  env: Env,
): { proof: Proof; cookie: string } {
  const binding = bindingOf(request, env) ?? newToken();
  const flow: Flow = {
    id: newId(),
    browser: tokenHash(binding),
    expires: env.clock() + LIFETIME,
    returnTo: returnTo.length > LONGEST_RETURN ? "/" : returnTo,
    restarted,
  };
  const text = Buffer.from(JSON.stringify(flow)).toString("base64url");
  const state = `${text}.${env.signer.sign("login", text)}`;
  const cookie = setCookie(cookieName(env), binding, { maxAge: LIFETIME, secure: env.base.secure });
  return { proof: proofOf(flow, state, binding), cookie };
}

/** The flow that a `state` of ours carries, whoever brings it; null for anything else. */
export function readFlow(state: string, env: Env): Flow | null {
  const [text = "", signature = "", ...more] = state.split(".");
  if (more.length > 0 || !env.signer.verifies(signature, "login", text)) return null;
  return JSON.parse(Buffer.from(text, "base64url").toString()) as Flow;
}

/** The proof of a flow that this browser began; null where another did. */
export function proofIn(request: IncomingMessage, flow: Flow, state: string, env: Env): Proof | null {
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
