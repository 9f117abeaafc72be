import type { FastifyInstance, FastifyReply } from "fastify";
import type { User } from "../access/principal.ts";
import { issueTicket } from "../crypto/tickets.ts";
import type { Env } from "../env.ts";
import { blockEmbedding } from "../http/cross-site.ts";
import { address, html, sendPage } from "../http/html.ts";
import type { Query } from "../http/query.ts";
import { refuse } from "../http/refusal.ts";
import { requireAppRoom } from "../identity/apps.ts";
import { requireTokenRoom } from "../identity/tokens.ts";
import { ANSWERS_STYLE, accessText, answers, hostText } from "./access-text.ts";
import { receiveAttempt } from "./answered-form.ts";
import { addAppCode } from "./apps/app-codes.ts";
import { firstChoices, readChoices, rightsOf } from "./apps/app-rights.ts";
import { sendAppConsent } from "./apps/consent-page.ts";
import { requirePerson, titleOfAsked } from "./asked-access.ts";
import {
  type AuthorizationRequest,
  type CliRequest,
  isOfApp,
  readAuthorizationRequest,
} from "./authorization-request.ts";
import { addCode, readAnswered } from "./oauth-codes.ts";
import { type Answer, formTarget, sendBack } from "./way-back.ts";

/** The maximum length of the URL in characters. The sign-in cannot return to a longer URL. */
const MAX_URL_LENGTH = 2_000;

/** Throws 409 `KEY_LIMIT` if a person has no room for what a program asks for. */
const requireRoom = (request: AuthorizationRequest, user: User, env: Env): Promise<void> =>
  (isOfApp(request) ? requireAppRoom : requireTokenRoom)(user, env);

/**
 * Mounts `/oauth/authorize`: asks a signed-in person whether a program may act for them, and redirects to the program with a one-time code (RFC
 * 6749, section 4.1; RFC 7636; RFC 8252). The question is asked each time, because another program could use what is remembered.
 */
export function mountAuthorize(app: FastifyInstance, env: Env): void {
  app.get("/oauth/authorize", { exposeHeadRoute: false }, async (request, reply) => {
    blockEmbedding(reply);
    if (request.url.length > MAX_URL_LENGTH) refuse("INVALID_BODY", { message: "This address is too long." });
    const user = await requirePerson(request, reply, "page", env);
    const asked = await readAuthorizationRequest(
      request.query as Query,
      { ip: request.ip, person: user.id },
      env,
    );
    await requireRoom(asked, user, env);
    if (!isOfApp(asked)) return sendCliConsent(reply, asked, user, env);
    return sendAppConsent(reply, asked, { choices: firstChoices(asked), isMissing: false }, user, env);
  });

  app.post("/oauth/authorize", async (request, reply) => {
    const { caller, form } = await receiveAttempt(request, reply, env);
    const { user } = caller;
    const asked = readAnswered<AuthorizationRequest>("oauth.authorize", form.get("ticket") ?? "", user, env);
    const answer = (given: Answer) => sendBack(reply, asked, given, env.base);
    if (form.get("answer") !== "allow")
      return answer({ error: "access_denied", error_description: "The person has not allowed it." });
    await requireRoom(asked, user, env);
    if (!isOfApp(asked))
      return answer({ code: (await addCode(caller, asked, env)) ?? refuse("RATE_LIMITED") });
    const choices = readChoices(form, asked);
    const rights = await rightsOf(choices, user, env);
    if (rights === null)
      return sendAppConsent(reply.code(400), asked, { choices, isMissing: true }, user, env);
    return answer({ code: (await addAppCode(caller, asked, rights, env)) ?? refuse("RATE_LIMITED") });
  });
}

async function sendCliConsent(
  reply: FastifyReply,
  request: CliRequest,
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
      ${accessText(asked, title, env)}
      <form method="post" action="/oauth/authorize">
        <input type="hidden" name="ticket" value="${issueTicket("oauth.authorize", user, request, env)}">${answers()}</form>`,
  });
}
