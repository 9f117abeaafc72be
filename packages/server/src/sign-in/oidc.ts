import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { User } from "../access/principal.ts";
import { announceAccess } from "../canvases/open-connections.ts";
import type { Env } from "../env.ts";
import { firstValue, type Query } from "../http/query.ts";
import { findPerson, type NoPerson, personOf } from "../identity/identities.ts";
import { startSession } from "../identity/session.ts";
import { signOutUser } from "../identity/sign-out.ts";
import { countAttempt, safeReturn } from "./challenge.ts";
import { accountOf, type Claims, requireSignIn } from "./oidc-claims.ts";
import { OidcError, type Refused, sendOidcError } from "./oidc-error.ts";
import { bindingOf, findProof, readFlow, startFlow } from "./oidc-flow.ts";
import { idTokenCookie, mountSignedOut } from "./oidc-logout.ts";
import { openProvider, type Provider } from "./oidc-provider.ts";

const MAX_URL_LENGTH = 8 * 1024;

/**
 * Mounts sign-in by OpenID Connect: Authorization Code with PKCE, state and nonce (specification 5;
 * docs/identity.md). Returns the provider.
 */
export function mountOidc(app: FastifyInstance, env: Env): Provider {
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
    const { claims, idToken } = await provider.claims(proof, callbackUrl(env, params));
    const user = await userOfClaims(claims, env);
    const sid = typeof claims.sid === "string" ? claims.sid : null;
    return reply
      .header("set-cookie", await startSession(user, request, env, sid))
      .headers(env.config.oidcLogout ? { "set-cookie": idTokenCookie(idToken, env) } : {})
      .redirect(safeReturn(flow.returnTo, env.base), 303);
  });
  app.post("/auth/backchannel-logout", async (request, reply) => {
    const { endByProvider } = await import("./back-channel-logout.ts");
    return endByProvider(request, reply, provider, env);
  });
  if (env.config.oidcLogout) mountSignedOut(app);
  return provider;
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
 * Finds the person of the account in the claims, who is created if necessary. Throws an OidcError, which names the account, if the person may
 * not sign in. Somebody who has left the domains or groups that may sign in then loses what they have here already.
 */
async function userOfClaims(claims: Claims, env: Env): Promise<User> {
  try {
    requireSignIn(claims, env.config, env.clock());
    const account = accountOf(claims, env.config);
    if (account.groups === null && env.config.oidcGroupsClaim !== null)
      env.log.warn(
        { subject: account.subject, email: account.email },
        "the provider sends no groups of somebody who is in too many, so their teams stay as they are: let it send those alone that are assigned to the application",
      );
    const person = await personOf(account, env, { always: true });
    if (typeof person === "string") throw new OidcError(person, NO_PERSON[person]);
    return person;
  } catch (error) {
    if (!(error instanceof OidcError)) throw error;
    error.refused = refusedIn(claims, env.config);
    if (ENDS_ACCESS.includes(error.kind)) await endAccess(error.refused, env);
    throw error;
  }
}

/** Why somebody is refused whose account is in order, for the log. */
const NO_PERSON: Record<NoPerson, string> = {
  deactivated: "a deactivated user",
  other_account:
    "the person of this address has another account of this issuer, or the directory knows somebody else by the id of this account (SERVICE_SCIM_ID_CLAIM). If it is the same person, whose account was made anew, unlink the former one. If the address was given to somebody else, the former person has to be removed first",
  address_taken:
    "the address of this account has changed to that of somebody else. Of the two people, one has to be removed or get another address",
};

/** The refusals by which the provider says that somebody does not belong here any more. */
const ENDS_ACCESS: readonly OidcError["kind"][] = ["not_allowed", "not_in_group"];

function refusedIn(claims: Claims, { oidcEmailClaim }: Env["config"]): Refused {
  const email = claims[oidcEmailClaim];
  return {
    issuer: String(claims.iss),
    subject: String(claims.sub),
    email: typeof email === "string" ? email.slice(0, 254) : null,
  };
}

/** Ends what the person of an account has here: sessions, access tokens and connected tools. Does nothing if the account is unknown. */
async function endAccess(account: Refused, env: Env): Promise<void> {
  const person = await findPerson(account, env);
  if (person === undefined) return;
  await signOutUser(person.id, { tokens: true }, env);
  await announceAccess({ people: [person.id] }, env);
}
