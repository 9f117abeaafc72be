import type { IncomingMessage } from "node:http";
import type { Env } from "../env.ts";
import type { HeaderSink } from "../rate-limit.ts";
import { contentSession } from "./handover.ts";
import type { Person } from "./people.ts";
import { proxyPerson } from "./proxy.ts";
import { findSession } from "./session.ts";
import { bearerToken, tokenPerson } from "./tokens.ts";

/** How a request came in: by an API, where access tokens count, or by the host of a canvas, which has a cookie of its own. */
export interface Door {
  tokens?: boolean;
  canvasHost?: string | undefined;
}

/** Who sent this request, by what the sign-in mode trusts and by nothing else; null for nobody (specification 5). */
export async function identify(
  request: IncomingMessage,
  answer: HeaderSink | null,
  env: Env,
  { tokens, canvasHost }: Door = {},
): Promise<Person | null> {
  const { authMode, proxyJwksUrl } = env.config;
  if (authMode === "proxy" && proxyJwksUrl !== null) return proxyPerson(request, env);
  const token = tokens ? bearerToken(request) : undefined;
  if (token !== undefined) return tokenPerson(token, env);
  const asserted = authMode === "proxy" ? await proxyPerson(request, env) : null;
  if (asserted !== null) return asserted;
  const session =
    canvasHost === undefined
      ? await findSession(request, answer, env)
      : await contentSession(canvasHost, request, env);
  // A proxy's assertion is the session of everyone but guests.
  return session === null || (authMode === "proxy" && session.person.guestOf === null)
    ? null
    : session.person;
}

/** Whether someone is an administrator of this instance. It never gives a role on a canvas; guests never are. */
export const isAdmin = (person: Person, env: Env): boolean =>
  person.guestOf === null && env.config.adminEmails.includes(person.email);
