import type { IncomingMessage } from "node:http";
import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import type { HeaderSink } from "../http/rate-limit.ts";
import { findCanvasSession } from "./canvas-session.ts";
import { proxyUser } from "./proxy.ts";
import { findSession, type Session } from "./session.ts";
import { acceptsTokens, bearerToken, tokenUser } from "./tokens.ts";

/** The credentials that a route accepts. */
export interface Accepted {
  /** Whether the route accepts personal access tokens. */
  tokens?: boolean;
  /** The slug of a canvas if the request came to the host of that canvas. Such a host has its own cookie instead of the session cookie. */
  canvasHost?: string | undefined;
}

/**
 * Returns the user whom a credential identifies: an access token, an assertion of the proxy, or a session. The sign-in mode determines
 * which of them are trusted. Returns null if no trusted credential is valid (specification 5).
 */
export async function trustedUser(
  token: string | undefined,
  proxy: () => Promise<User | null>,
  session: () => Promise<Session | null>,
  env: Env,
): Promise<User | null> {
  const { authMode } = env.config;
  if (!acceptsTokens(env.config)) return proxy();
  if (token !== undefined) return tokenUser(token, env);
  const asserted = authMode === "proxy" ? await proxy() : null;
  if (asserted !== null) return asserted;
  const user = (await session())?.user ?? null;
  // In proxy mode a session identifies only guests. All other users need an assertion of the proxy.
  return authMode === "proxy" && user?.guestOf === null ? null : user;
}

/**
 * Identifies the user who sent a request. Returns null for an anonymous caller. If `reply` is given, the expiry of the session may be
 * extended.
 */
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

/** Whether a user is an administrator of this instance. This gives the user no role on any canvas. Guests are never administrators. */
export const isAdmin = (user: User, env: Env): boolean =>
  user.guestOf === null && env.config.adminEmails.includes(user.email);
