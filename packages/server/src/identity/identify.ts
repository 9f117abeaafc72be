import type { IncomingMessage } from "node:http";
import type { TokenAudience } from "@easel/protocol/management";
import { type Principal, SHELL, visitor } from "../access/principal.ts";
import { passesIn } from "../canvases/gate-cookie.ts";
import type { Env } from "../env.ts";
import type { HeaderSink } from "../http/rate-limit.ts";
import type { Caller, Identified } from "./credential.ts";
import { previewerById } from "./previews.ts";
import { proxyUser } from "./proxy.ts";
import { findCanvasSession, findSession, sessionById } from "./session.ts";
import { acceptsTokens, bearerToken, tokenUser, tokenUserById } from "./tokens.ts";
import { isListed, userById } from "./users.ts";

const ANONYMOUS = { user: visitor(), credential: null };

/** The credentials that a route accepts. */
export interface Accepted {
  /** The audience of the access tokens that the route accepts; without one, it accepts none. */
  tokens?: TokenAudience | undefined;
  /** The slug of a canvas if the request came to the host of that canvas. Such a host has its own cookie instead of the session cookie. */
  canvasHost?: string | undefined;
}

/**
 * Identifies the user who sent a request: by an access token, an assertion of the proxy, or a session. The sign-in mode determines which of
 * them are trusted. If `reply` is given, the expiry of the session may be extended. Returns null for an anonymous caller, who has sent no
 * trusted credential that is valid (specification 5).
 */
function identified(
  request: IncomingMessage,
  reply: HeaderSink | null,
  env: Env,
  { tokens, canvasHost }: Accepted,
): Promise<Identified | null> {
  if (!acceptsTokens(env.config)) return proxyUser(request, env);
  const token = tokens && bearerToken(request);
  if (token !== undefined) return tokenUser(token, env, tokens);
  const session = () =>
    canvasHost === undefined ? findSession(request, reply, env) : findCanvasSession(canvasHost, request, env);
  return env.config.authMode === "proxy" ? assertedOrGuest(request, session, env) : session();
}

/** Identifies a user behind a proxy: by its assertion or, only for a guest, by the session. */
async function assertedOrGuest(
  request: IncomingMessage,
  session: () => Promise<Identified | null>,
  env: Env,
): Promise<Identified | null> {
  const asserted = await proxyUser(request, env);
  if (asserted !== null) return asserted;
  const found = await session();
  return found?.user.kind === "guest" ? found : null;
}

/**
 * Reads from a request who its caller is. The result needs the request no more. If `reply` is given, the expiry of the session may be
 * extended.
 */
export async function identify(
  request: IncomingMessage,
  reply: HeaderSink | null,
  env: Env,
  accepted: Accepted = {},
): Promise<Caller> {
  const passes = passesIn(request.headers.cookie);
  const { user, credential } = (await identified(request, reply, env, accepted)) ?? ANONYMOUS;
  if (user.kind !== "visitor") request.callerId = user.id;
  if (user.kind === "member") env.lastSeen.note(user.id, env.clock());
  return { user, credential, passes };
}

/**
 * Checks whether a credential is still valid. Returns its user with the data that is stored now, or null if the session, access token or
 * signed token has ended or the user is deactivated. An identity from plain headers of a proxy does not expire.
 */
export async function reauthenticate({ user, credential }: Caller, env: Env): Promise<Identified | null> {
  if (credential === null) return null;
  if (credential.kind === "session") return sessionById(credential.id, env);
  if (credential.kind === "token") return tokenUserById(credential.id, env);
  if (credential.kind === "preview") return previewerById(credential.id, env);
  const now = env.clock() < credential.until ? await userById(user.id, env) : null;
  return now && { user: now, credential };
}

/** Whether a user is an administrator of this instance, or the shell. This gives the user no role on any canvas. Guests are never administrators. */
export const isAdmin = (user: Principal, env: Env): boolean =>
  user === SHELL || (user.kind === "member" && isListed(user, env.config));
