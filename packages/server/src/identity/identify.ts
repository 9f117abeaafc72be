import type { IncomingMessage } from "node:http";
import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import type { HeaderSink } from "../http/rate-limit.ts";
import { findCanvasSession } from "./canvas-session.ts";
import { proxyUser } from "./proxy.ts";
import { findSession, type Session } from "./session.ts";
import { bearerToken, tokenUser } from "./tokens.ts";

/** The credentials that a route accepts. */
export interface Accepted {
  /** Whether it accepts access tokens. */
  tokens?: boolean;
  /** The slug of the canvas whose host the request came to, which has a cookie of its own. */
  canvasHost?: string | undefined;
}

/** Returns the user by the credential that the sign-in mode trusts: access token, proxy assertion or session; null without one (specification 5). */
export async function trustedUser(
  token: string | undefined,
  proxy: () => Promise<User | null>,
  session: () => Promise<Session | null>,
  env: Env,
): Promise<User | null> {
  const { authMode, proxyJwksUrl } = env.config;
  if (authMode === "proxy" && proxyJwksUrl !== null) return proxy();
  if (token !== undefined) return tokenUser(token, env);
  const asserted = authMode === "proxy" ? await proxy() : null;
  if (asserted !== null) return asserted;
  const user = (await session())?.user ?? null;
  // A proxy's assertion is the session of everyone but guests.
  return authMode === "proxy" && user?.guestOf === null ? null : user;
}

/** Identifies the user who sent a request; null for none. With `reply`, the session's expiry may be extended. */
export function identify(
  request: IncomingMessage,
  reply: HeaderSink | null,
  env: Env,
  { tokens, canvasHost }: Accepted = {},
): Promise<User | null> {
  const token = tokens ? bearerToken(request) : undefined;
  const session = () =>
    canvasHost === undefined ? findSession(request, reply, env) : findCanvasSession(canvasHost, request, env);
  return trustedUser(token, () => proxyUser(request, env), session, env);
}

/** Whether a user is an administrator of this instance, which implies no role on any canvas. Guests never are. */
export const isAdmin = (user: User, env: Env): boolean =>
  user.guestOf === null && env.config.adminEmails.includes(user.email);
