import type { FastifyInstance, FastifyReply } from "fastify";
import type { User } from "../access/principal.ts";
import type { Base } from "../config/addresses.ts";
import { issueTicket } from "../crypto/tickets.ts";
import type { Env } from "../env.ts";
import { blockEmbedding, requireSameOrigin } from "../http/cross-site.ts";
import { address, html, sendPage } from "../http/html.ts";
import type { Query } from "../http/query.ts";
import { Refusal, redirect, refuse } from "../http/refusal.ts";
import { requireTokenRoom } from "../identity/tokens.ts";
import { countAttempt } from "../sign-in/challenge.ts";
import { ANSWERS_STYLE, accessText, answers, hostText } from "./access-text.ts";
import { type AskedAccess, readAskedAccess, requirePerson, titleOfAsked } from "./asked-access.ts";
import { CLIENT_ID } from "./clients/command-line.ts";
import { addCode, readAnswered } from "./oauth-codes.ts";
import { type OAuthErrorCode, readForm, refuseOAuth } from "./program-endpoint.ts";

/** The parameters of an authorization request (RFC 6749, section 4.1.1; RFC 7636). Others are ignored. */
const PARAMETERS = [
  ...["response_type", "client_id", "redirect_uri", "state", "scope", "code_challenge"],
  ...["code_challenge_method", "host", "canvas"],
];

/**
 * Matches the redirect URIs of programs on the person's own computer (RFC 8252, section 7.3). Excludes `localhost`, which could resolve to
 * another computer.
 */
const LOOPBACK_URI = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):[1-9]\d{1,4}\/[\w.~/-]{0,200}$/;
const STATE = /^[\x20-\x7e]{1,256}$/;
/** Matches a PKCE code challenge, which is the SHA-256 hash of the verifier in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

/** An authorization request that has been checked. */
interface AuthorizationRequest {
  redirectUri: string;
  challenge: string;
  state: string | null;
  asked: AskedAccess;
}

/**
 * Reads an authorization request. Throws a Refusal without a redirect if the client or the redirect URI is wrong, because a redirect could
 * then lead anywhere. For every other error, throws a redirect that reports the error to the program.
 */
function readAuthorizationRequest(query: Query, base: Base): AuthorizationRequest {
  if (query.client_id !== CLIENT_ID) refuse("INVALID_BODY", { message: "This program is not known here." });
  const redirectUri = query.redirect_uri;
  if (typeof redirectUri !== "string" || !isLoopback(redirectUri, base))
    return refuse("INVALID_BODY", { message: "The program gives no address on this computer to return to." });
  const state = typeof query.state === "string" && STATE.test(query.state) ? query.state : null;
  try {
    return { redirectUri, state, ...readRest(query) };
  } catch (error) {
    if (!(error instanceof Refusal) || typeof error.body.error !== "string") throw error;
    const fields = { error: error.body.error as OAuthErrorCode, error_description: error.message };
    return redirect(answerUrl({ redirectUri, state }, fields, base));
  }
}

/**
 * Whether a redirect URI leads to a program on the person's computer. Returns false for the port of this service, because its canvases
 * would see the code.
 */
function isLoopback(redirectUri: string, base: Base): boolean {
  const port = LOOPBACK_URI.test(redirectUri) ? URL.parse(redirectUri)?.port : undefined;
  return port !== undefined && port !== "" && port !== new URL(base.origin).port;
}

function readRest(query: Query): { challenge: string; asked: AskedAccess } {
  const repeated = PARAMETERS.find((name) => Array.isArray(query[name]));
  if (repeated !== undefined) refuseOAuth("invalid_request", `\`${repeated}\` is repeated.`);
  const param = (name: string) => (query[name] as string | undefined) || undefined;
  if (param("response_type") !== "code")
    refuseOAuth("unsupported_response_type", "`response_type` must be `code`.");
  const challenge = param("code_challenge") ?? "";
  if (!CHALLENGE.test(challenge) || param("code_challenge_method") !== "S256")
    refuseOAuth("invalid_request", "A `code_challenge` with the method S256 is required.");
  const state = param("state");
  if (state !== undefined && !STATE.test(state))
    refuseOAuth("invalid_request", "`state` must be at most 256 ASCII characters.");
  return { challenge, asked: readAskedAccess(param) };
}

/** Returns the redirect URI with the parameters of an authorization response, including the issuer `iss` (RFC 9207). */
function answerUrl(
  { redirectUri, state }: Pick<AuthorizationRequest, "redirectUri" | "state">,
  fields: { code: string } | { error: OAuthErrorCode; error_description: string },
  { origin }: Base,
): string {
  const stated = state === null ? {} : { state };
  return `${redirectUri}?${new URLSearchParams({ ...fields, ...stated, iss: origin })}`;
}

/** The maximum length of the URL in characters. The sign-in cannot return to a URL that is much longer. */
const MAX_URL_LENGTH = 1_500;

/**
 * Mounts `/oauth/authorize`: asks a signed-in person whether a program on their computer may act for them, and redirects to the program with
 * a one-time code (RFC 6749, section 4.1; RFC 7636; RFC 8252).
 */
export function mountAuthorize(app: FastifyInstance, env: Env): void {
  app.get("/oauth/authorize", { exposeHeadRoute: false }, async (request, reply) => {
    blockEmbedding(reply);
    if (request.url.length > MAX_URL_LENGTH) refuse("INVALID_BODY", { message: "This address is too long." });
    const asked = readAuthorizationRequest(request.query as Query, env.base);
    const user = await requirePerson(request, reply, "page", env);
    await requireTokenRoom(user, env);
    return sendConsent(reply, asked, user, env);
  });

  app.post("/oauth/authorize", async (request, reply) => {
    blockEmbedding(reply);
    requireSameOrigin(request.headers, env.base);
    const user = await requirePerson(request, reply, "api", env);
    if (!(await countAttempt(request, reply, env))) refuse("RATE_LIMITED");
    const form = await readForm(request);
    const asked = readAnswered<AuthorizationRequest>("oauth.authorize", form.get("ticket") ?? "", user, env);
    reply.header("cache-control", "private, no-store").header("referrer-policy", "no-referrer");
    if (form.get("answer") !== "allow") {
      const fields = { error: "access_denied", error_description: "The person has not allowed it." } as const;
      return reply.redirect(answerUrl(asked, fields, env.base), 303);
    }
    await requireTokenRoom(user, env);
    const code = await addCode(user, asked, env);
    if (code === null) refuse("RATE_LIMITED");
    return reply.redirect(answerUrl(asked, { code }, env.base), 303);
  });
}

async function sendConsent(
  reply: FastifyReply,
  request: AuthorizationRequest,
  user: User,
  env: Env,
): Promise<FastifyReply> {
  const { asked, redirectUri } = request;
  const title = await titleOfAsked(asked.canvasId, user, env);
  return sendPage(reply, {
    title: "Let the command line act for you?",
    narrow: true,
    formsLeadTo: formTarget(redirectUri),
    style: ANSWERS_STYLE,
    body: html`<h1>Let the command line on ${hostText(asked)} act for you?</h1>
      <p>You are signed in as <strong>${address(user.email)}</strong>. Allow this only if you have just run <strong>easel login</strong> on
        this computer.</p>
      ${accessText(asked, title, env.clock())}
      <form method="post" action="/oauth/authorize">
        <input type="hidden" name="ticket" value="${issueTicket("oauth.authorize", user, request, env)}">${answers()}</form>`,
  });
}

/** Returns the CSP source that matches a redirect URI. CSP has no sources for IPv6 addresses, so the source is then `http:`. */
function formTarget(redirectUri: string): string {
  const { origin, hostname } = new URL(redirectUri);
  return hostname.startsWith("[") ? "http:" : origin;
}
