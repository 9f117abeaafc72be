import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { normalEmail } from "../access/email.ts";
import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { firstValue, type Query } from "../http/query.ts";
import { startSession } from "../identity/session.ts";
import { cleanName, upsertUser } from "../identity/users.ts";
import { mayTry } from "./attempts.ts";
import { answerOidcError, OidcError } from "./oidc-error.ts";
import { beginFlow, bindingOf, proofIn, readFlow } from "./oidc-flow.ts";
import { type Claims, openProvider } from "./oidc-provider.ts";
import { safeReturn } from "./return-to.ts";

const LONGEST_ANSWER = 8 * 1024;

/** Sign-in by OpenID Connect: Authorization Code with PKCE, state and nonce (specification 5; management API, section 2). */
export function mountOidc(app: FastifyInstance, env: Env): void {
  const provider = openProvider(env);
  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    answerOidcError(error, request, reply, env);

  async function guard(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // The address of an answer holds a code, which is nobody else's to see.
    reply.header("cache-control", "private, no-store").header("referrer-policy", "no-referrer");
    if (!(await mayTry(request, reply, env))) throw new OidcError("hasty", "the limit of the address");
  }

  async function begin(
    request: FastifyRequest,
    reply: FastifyReply,
    { returnTo, restarted = false, anew = false }: { returnTo: string; restarted?: boolean; anew?: boolean },
  ): Promise<FastifyReply> {
    const { proof, cookie } = beginFlow(request.raw, { returnTo, restarted }, env);
    const to = await provider.authorization(proof, callback(env), anew);
    return reply.header("set-cookie", cookie).redirect(to.href);
  }

  app.get("/auth/login", { errorHandler }, async (request, reply) => {
    await guard(request, reply);
    const query = request.query as Query;
    const returnTo = safeReturn(firstValue(query, "returnTo"), env.base);
    return begin(request, reply, { returnTo, anew: firstValue(query, "anew") !== undefined });
  });

  // What the provider answers counts once: HEAD must not use it up.
  app.get("/auth/callback", { errorHandler, exposeHeadRoute: false }, async (request, reply) => {
    await guard(request, reply);
    const answer = answerOf(request);
    const state = answer.get("state") ?? "";
    const flow = readFlow(state, env);
    if (flow === null) throw new OidcError("stale", "no state of ours");
    if (flow.expires <= env.clock()) throw new OidcError("stale", "the state has expired");
    const proof = proofIn(request.raw, flow, state, env);
    if (proof === null) {
      // Tabs that begin at once, before there is a binding, are left with one binding for all: the others begin again.
      const may = !flow.restarted && answer.has("code") && bindingOf(request.raw, env) !== undefined;
      if (may) return begin(request, reply, { returnTo: flow.returnTo, restarted: true });
      throw new OidcError("stale", "the state of another browser");
    }
    const user = await whoIs(await provider.claims(proof, callback(env, answer)), env);
    return reply
      .header("set-cookie", await startSession(user, request, env))
      .redirect(safeReturn(flow.returnTo, env.base), 303);
  });
}

function callback({ base }: Env, answer = new URLSearchParams()): URL {
  const url = new URL("/auth/callback", base.origin);
  url.search = answer.toString();
  return url;
}

/** What the provider answers through the browser: `state` with `code` or `error`, nothing twice. */
function answerOf({ url, query }: FastifyRequest): URLSearchParams {
  const given = Object.entries(query as Query);
  const answer = new URLSearchParams(
    given.filter((each): each is [string, string] => typeof each[1] === "string"),
  );
  const whole = answer.has("state") && Boolean(answer.get("code")) !== Boolean(answer.get("error"));
  if (!whole || answer.size < given.length || url.length > LONGEST_ANSWER)
    throw new OidcError("malformed", "no answer of a provider");
  return answer;
}

/** The person of a verified address that may sign in here. */
async function whoIs(claims: Claims, env: Env): Promise<User> {
  if (typeof claims.email !== "string" || claims.email_verified !== true)
    throw new OidcError("unverified", "no verified e-mail address");
  const email = normalEmail(claims.email, env.config.allowedEmailDomains);
  if (email === null) throw new OidcError("foreign", "no address that may sign in");
  const user = await upsertUser(env.db, email, nameIn(claims), env.clock());
  if (user === null) throw new OidcError("deactivated", "a deactivated person");
  return user;
}

/** What to call someone, or null: a username that is an address is no name. */
function nameIn({ name, preferred_username }: Claims): string | null {
  const username = cleanName(preferred_username);
  return cleanName(name) ?? (username?.includes("@") ? null : username);
}
