import type { FastifyInstance, FastifyReply } from "fastify";
import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { requireSameOrigin } from "../http/csrf.ts";
import { address, html, sendPage } from "../http/html.ts";
import type { Query } from "../http/query.ts";
import { refuse } from "../http/refusal.ts";
import { blockEmbedding } from "../http/security-headers.ts";
import { requireTokenRoom } from "../identity/tokens.ts";
import { countAttempt } from "../sign-in/attempts.ts";
import { ANSWERS_STYLE, accessText, answers, hostText } from "./access-text.ts";
import { type AuthorizationRequest, answerUrl, readAuthorizationRequest } from "./authorization-request.ts";
import { addCode } from "./oauth-codes.ts";
import { readForm } from "./oauth-form.ts";
import { requirePerson, titleOfAsked } from "./person.ts";
import { issueTicket, readTicket } from "./ticket.ts";

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
    const asked = readTicket<AuthorizationRequest>("authorize", form.get("ticket") ?? "", user, env);
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
        <input type="hidden" name="ticket" value="${issueTicket("authorize", user, request, env)}">${answers()}</form>`,
  });
}

/** Returns the CSP source that matches a redirect URI. CSP has no sources for IPv6 addresses, so the source is then `http:`. */
function formTarget(redirectUri: string): string {
  const { origin, hostname } = new URL(redirectUri);
  return hostname.startsWith("[") ? "http:" : origin;
}
