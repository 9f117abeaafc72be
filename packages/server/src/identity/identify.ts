import type { IncomingMessage } from "node:http";
import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import type { HeaderSink } from "../http/rate-limit.ts";
import { findCanvasSession } from "./canvas-session.ts";
import { proxyUser } from "./proxy.ts";
import { findSession, type Session } from "./session.ts";
import { bearerToken, tokenUser } from "./tokens.ts";

/** How a request came in: by an API, where access tokens count, or by the host of a canvas, which has a cookie of its own. */
export interface Door {
  tokens?: boolean;
  canvasHost?: string | undefined;
}

/** Of an access token, a proxy's word and a session, what the sign-in mode trusts, and nothing else; null for nobody (specification 5). */
export async function trusted(
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

/** Who sent this request. */
export function identify(
  request: IncomingMessage,
  answer: HeaderSink | null,
  env: Env,
  { tokens, canvasHost }: Door = {},
): Promise<User | null> {
  const token = tokens ? bearerToken(request) : undefined;
  const session = () =>
    canvasHost === undefined
      ? findSession(request, answer, env)
      : findCanvasSession(canvasHost, request, env);
  return trusted(token, () => proxyUser(request, env), session, env);
}

/** Whether someone is an administrator of this instance. It never gives a role on a canvas; guests never are. */
export const isAdmin = (user: User, env: Env): boolean =>
  user.guestOf === null && env.config.adminEmails.includes(user.email);
