import type { IncomingMessage } from "node:http";
import type { Env } from "../env.ts";
import type { HeaderSink } from "../http/rate-limit.ts";
import { findCanvasSession } from "./canvas-session.ts";
import { proxyPerson } from "./proxy.ts";
import { findSession, type Session } from "./session.ts";
import { bearerToken, tokenPerson } from "./tokens.ts";
import type { Person } from "./users.ts";

/** How a request came in: by an API, where access tokens count, or by the host of a canvas, which has a cookie of its own. */
export interface Door {
  tokens?: boolean;
  canvasHost?: string | undefined;
}

/** Of an access token, a proxy's word and a session, what the sign-in mode trusts, and nothing else; null for nobody (specification 5). */
export async function trusted(
  token: string | undefined,
  proxy: () => Promise<Person | null>,
  session: () => Promise<Session | null>,
  env: Env,
): Promise<Person | null> {
  const { authMode, proxyJwksUrl } = env.config;
  if (authMode === "proxy" && proxyJwksUrl !== null) return proxy();
  if (token !== undefined) return tokenPerson(token, env);
  const asserted = authMode === "proxy" ? await proxy() : null;
  if (asserted !== null) return asserted;
  const person = (await session())?.person ?? null;
  // A proxy's assertion is the session of everyone but guests.
  return authMode === "proxy" && person?.guestOf === null ? null : person;
}

/** Who sent this request. */
export function identify(
  request: IncomingMessage,
  answer: HeaderSink | null,
  env: Env,
  { tokens, canvasHost }: Door = {},
): Promise<Person | null> {
  const token = tokens ? bearerToken(request) : undefined;
  const session = () =>
    canvasHost === undefined
      ? findSession(request, answer, env)
      : findCanvasSession(canvasHost, request, env);
  return trusted(token, () => proxyPerson(request, env), session, env);
}

/** Whether someone is an administrator of this instance. It never gives a role on a canvas; guests never are. */
export const isAdmin = (person: Person, env: Env): boolean =>
  person.guestOf === null && env.config.adminEmails.includes(person.email);
