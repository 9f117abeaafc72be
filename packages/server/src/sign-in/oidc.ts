import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { normalEmail, type User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { firstValue, type Query } from "../http/query.ts";
import { startSession } from "../identity/session.ts";
import { cleanName, upsertUser } from "../identity/users.ts";
import { countAttempt, safeReturn } from "./challenge.ts";
import { OidcError, sendOidcError } from "./oidc-error.ts";
import { bindingOf, findProof, readFlow, startFlow } from "./oidc-flow.ts";
import { type Claims, openProvider } from "./oidc-provider.ts";

const MAX_URL_LENGTH = 8 * 1024;

/**
 * Mounts sign-in by OpenID Connect: Authorization Code with PKCE, state and nonce (specification 5;
 * docs/operating.md#at-an-openid-connect-provider).
 */
export function mountOidc(app: FastifyInstance, env: Env): void {
  const provider = openProvider(env);
  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    sendOidcError(error, request, reply, env);

  async function guard(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // The URL of the callback contains the authorization code.
    reply.header("cache-control", "private, no-store").header("referrer-policy", "no-referrer");
    if (!(await countAttempt(request, reply, env)))
      throw new OidcError("rate_limited", "the limit of the address");
  }

  async function begin(
    request: FastifyRequest,
    reply: FastifyReply,
    { returnTo, restarted = false, anew = false }: { returnTo: string; restarted?: boolean; anew?: boolean },
  ): Promise<FastifyReply> {
    const { proof, cookie } = startFlow(request.raw, { returnTo, restarted }, env);
    const to = await provider.authorization(proof, callbackUrl(env), anew);
    return reply.header("set-cookie", cookie).redirect(to.href);
  }

  app.get("/auth/login", { errorHandler }, async (request, reply) => {
    await guard(request, reply);
    const query = request.query as Query;
    const returnTo = safeReturn(firstValue(query, "returnTo"), env.base);
    return begin(request, reply, { returnTo, anew: firstValue(query, "anew") !== undefined });
  });

  // HEAD must not use up the authorization code.
  app.get("/auth/callback", { errorHandler, exposeHeadRoute: false }, async (request, reply) => {
    await guard(request, reply);
    const params = callbackParams(request);
    const state = params.get("state") ?? "";
    const flow = readFlow(state, env);
    if (flow === null) throw new OidcError("expired", "no state of ours");
    if (flow.expires <= env.clock()) throw new OidcError("expired", "the state has expired");
    const proof = findProof(request.raw, flow, state, env);
    if (proof === null) {
      // If several tabs start a sign-in before the browser has a binding, the browser keeps only one of their bindings. The other tabs
      // start the sign-in again.
      const may = !flow.restarted && params.has("code") && bindingOf(request.raw, env) !== undefined;
      if (may) return begin(request, reply, { returnTo: flow.returnTo, restarted: true });
      throw new OidcError("expired", "the state of another browser");
    }
    const user = await userOfClaims(await provider.claims(proof, callbackUrl(env, params)), env);
    return reply
      .header("set-cookie", await startSession(user, request, env))
      .redirect(safeReturn(flow.returnTo, env.base), 303);
  });
}

function callbackUrl({ base }: Env, params = new URLSearchParams()): URL {
  const url = new URL("/auth/callback", base.origin);
  url.search = params.toString();
  return url;
}

/** Parses the authorization response in the query, which must have `state`, either `code` or `error`, and no parameter twice. */
function callbackParams({ url, query }: FastifyRequest): URLSearchParams {
  const given = Object.entries(query as Query);
  const params = new URLSearchParams(
    given.filter((each): each is [string, string] => typeof each[1] === "string"),
  );
  const complete = params.has("state") && Boolean(params.get("code")) !== Boolean(params.get("error"));
  if (!complete || params.size < given.length || url.length > MAX_URL_LENGTH)
    throw new OidcError("malformed", "not an authorization response");
  return params;
}

/**
 * Finds or creates the user with the e-mail address in the claims. Throws an OidcError if the address is not verified or the user may not
 * sign in.
 */
async function userOfClaims(claims: Claims, env: Env): Promise<User> {
  if (typeof claims.email !== "string" || claims.email_verified !== true)
    throw new OidcError("unverified", "no verified e-mail address");
  const email = normalEmail(claims.email, env.config.allowedEmailDomains);
  if (email === null) throw new OidcError("not_allowed", "an address that may not sign in");
  const user = await upsertUser(env.db, email, nameOfClaims(claims), env.clock());
  if (user === null) throw new OidcError("deactivated", "a deactivated user");
  return user;
}

/** Returns the name of a user, or null if the claims contain none. A username that is an e-mail address does not count. */
function nameOfClaims({ name, preferred_username }: Claims): string | null {
  const username = cleanName(preferred_username);
  return cleanName(name) ?? (username?.includes("@") ? null : username);
}
