import type { FastifyRequest } from "fastify";
import type { Base } from "../config/addresses.ts";
import { SHARED_PART } from "../drivers/bus/bus.ts";
import type { Env } from "../env.ts";
import { isSlug } from "../http/canvas-path.ts";
import { destinationOf, initiatorOf } from "../http/cross-site.ts";
import { type HeaderSink, take } from "../http/rate-limit.ts";
import { redirect, refuseAnonymous } from "../http/refusal.ts";
import { type HasHeaders, networkOf, wantsPage } from "../http/request-headers.ts";
import type { Caller } from "../identity/credential.ts";
import { acceptsTokens, bearerToken, tokenChallenge } from "../identity/tokens.ts";

/**
 * Counts a sign-in attempt against the rate limit of the client's network. Returns false if the limit is exceeded. What another site loads into
 * its page, such as an image, is counted apart, so that the page cannot keep the network of its visitors from signing in.
 */
export function countAttempt({ ip, headers }: FastifyRequest, reply: HeaderSink, env: Env): Promise<boolean> {
  const loadedByOthers =
    initiatorOf(headers) === "other" && !["document", "unknown"].includes(destinationOf(headers));
  const part = loadedByOthers ? "foreign" : SHARED_PART;
  return take({ rateClass: "login", owner: networkOf(ip), part }, env.config.loginPerMinute, reply, env);
}

/**
 * Returns the URL to redirect to after the sign-in: only the path if the given URL is on the base host, the whole URL if it is on the host
 * of a canvas, otherwise `/`.
 */
export function safeReturn(given: string | undefined, base: Base): string {
  const url = given === undefined ? null : URL.parse(given, base.origin);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    return "/";
  if (url.origin === base.origin) return url.pathname.replace(/^\/{2,}/, "/") + url.search + url.hash;
  const slug = base.labelOf(url.host) ?? "";
  return isSlug(slug) && url.origin === base.canvasOrigin(slug) ? url.href : "/";
}

/**
 * Rejects an unauthenticated request: redirects it to the login route in oidc mode, otherwise throws 401 (specification 4.1, step 1). A
 * program that sends a bearer token of any kind gets 401 in oidc mode, too, because it cannot sign in on a page. In dev mode, a browser that
 * requests a page is redirected, too. After the sign-in, a redirected browser returns to the page that it requested. `fields` are added to
 * the body of a 401.
 */
export function challenge(
  request: HasHeaders & { url?: string | undefined },
  expects: "api" | "page",
  env: Env,
  fields: Record<string, string> = {},
): never {
  const { config } = env;
  if (config.authMode === "oidc" && sendsToken(request)) return refuseToken(expects, fields);
  const navigates = expects === "page" && wantsPage(request.headers);
  const back = navigates ? `?returnTo=${encodeURIComponent(request.url ?? "/")}` : "";
  if (config.authMode === "oidc" || (config.authMode === "dev" && navigates)) redirect(loginUrl(env) + back);
  return refuseAnonymous(fields);
}

/** Whether a request has a bearer token, of this service or of another one. */
const sendsToken = ({ headers: { authorization } }: HasHeaders): boolean =>
  /^bearer(\s|$)/i.test(authorization ?? "");

/** Throws 401 for a request with a token that is not valid, or at an address that accepts none. */
function refuseToken(expects: "api" | "page", fields: Record<string, string>): never {
  const fault =
    expects === "page"
      ? "This address accepts no access tokens."
      : "The access token is invalid or was revoked.";
  const value = `Bearer error="invalid_token", error_description="${fault}"`;
  return refuseAnonymous(fields, { "www-authenticate": value });
}

/** Rejects a caller whose credential has ended since a request was admitted, in the same way as a new request of a program without it. */
export function challengeAgain({ credential }: Caller, env: Env): never {
  if (env.config.authMode === "oidc" && credential?.kind !== "token") redirect(loginUrl(env));
  return refuseAnonymous();
}

/** Returns the address of the login route, which is on the base host only, not on the hosts of canvases. */
const loginUrl = ({ base }: Env): string => `${base.urlMode === "subdomain" ? base.origin : ""}/auth/login`;

/**
 * Rejects an unauthenticated request to a route that accepts access tokens, as `challenge` does. If the request has an access token, the
 * header `WWW-Authenticate` of the response says why the token is rejected.
 */
export async function challengeProgram(
  request: HasHeaders & { url?: string | undefined },
  env: Env,
): Promise<never> {
  const token = bearerToken(request);
  if (token === undefined || !acceptsTokens(env.config)) return challenge(request, "api", env);
  return refuseAnonymous({}, { "www-authenticate": await tokenChallenge(token, env) });
}
