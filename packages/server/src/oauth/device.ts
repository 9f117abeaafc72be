import type { FastifyInstance, FastifyReply } from "fastify";
import type { User } from "../access/principal.ts";
import { issueTicket } from "../crypto/tickets.ts";
import type { Env } from "../env.ts";
import { blockEmbedding } from "../http/cross-site.ts";
import { address, html, sendPage } from "../http/html.ts";
import type { Caller } from "../identity/credential.ts";
import { requireTokenRoom } from "../identity/tokens.ts";
import { ANSWERS_STYLE, accessText, answers, hostText } from "./access-text.ts";
import { receiveAttempt } from "./answered-form.ts";
import { type AskedAccess, readAskedAccess, requirePerson, titleOfAsked } from "./asked-access.ts";
import {
  addDevice,
  answerDevice,
  DEVICE_LIFETIME_MS,
  findWaitingDevice,
  formatUserCode,
  POLL_INTERVAL_MS,
  readAnswered,
  readUserCode,
} from "./oauth-codes.ts";
import { mountProgramEndpoint, refuseOAuth, requireCommandLine } from "./program-endpoint.ts";

/**
 * Mounts `POST /oauth/device_authorization`, by which a program without a browser gets a code for the person to enter (RFC 8628, section
 * 3.1). The response has no `verification_uri_complete`: the person must copy the code from the terminal. So a link is not enough
 * for phishing.
 */
export const mountDeviceAuthorization = (app: FastifyInstance, env: Env): void =>
  mountProgramEndpoint(
    app,
    {
      path: "/oauth/device_authorization",
      perMinute: env.config.loginPerMinute,
      tooMany: "temporarily_unavailable",
      async run(form, { ip }) {
        requireCommandLine(form);
        const codes = await addDevice(
          readAskedAccess((name) => form.get(name)),
          ip,
          env,
        );
        if (codes === null)
          return refuseOAuth(
            "temporarily_unavailable",
            "Too many devices of this network wait for an answer.",
            503,
          );
        return {
          device_code: codes.deviceCode,
          user_code: formatUserCode(codes.userCode),
          verification_uri: `${env.base.origin}/oauth/device`,
          expires_in: DEVICE_LIFETIME_MS / 1000,
          interval: POLL_INTERVAL_MS / 1000,
        };
      },
    },
    env,
  );

/** Sends the page on which a person enters the code of a device. After a wrong code it shows what was typed and the message `fault`. */
function sendUserCodeForm(
  reply: FastifyReply,
  { typed = "", fault }: { typed?: string; fault?: string } = {},
): FastifyReply {
  const at = fault === undefined ? null : html`aria-invalid="true" aria-describedby="fault"`;
  return sendPage(reply, {
    title: fault === undefined ? "Enter the code" : "Unknown code",
    narrow: true,
    style: CODE_STYLE,
    body: html`<h1>Enter the code</h1>
      <p>The command line shows a code of eight letters in your terminal.</p>
      <form method="post" action="/oauth/device">
        <label for="user_code">Code</label>
        <input class="code" id="user_code" name="user_code" value="${typed}" required autofocus autocomplete="off" autocapitalize="characters"
          spellcheck="false" maxlength="40" ${at}>
        ${fault === undefined ? null : html`<p class="fault" id="fault" role="alert">${fault}</p>`}
        <button class="button">Continue</button></form>`,
  });
}

const CODE_STYLE = ".code{font-family:ui-monospace,monospace;letter-spacing:.12em;text-transform:uppercase}";

/** Sends the page that shows which computer asks, and asks the person whether to allow it. */
function sendDeviceQuestion(
  reply: FastifyReply,
  user: User,
  question: { userCode: string; asked: AskedAccess; address: string; title: string | null; ticket: string },
  env: Env,
): FastifyReply {
  const { userCode, asked, title, ticket } = question;
  return sendPage(reply, {
    title: "Let the command line act for you?",
    narrow: true,
    style: ANSWERS_STYLE,
    body: html`<h1>Let the command line on ${hostText(asked)} act for you?</h1>
      <p>You are signed in as <strong>${address(user.email)}</strong>. The request comes from the address
        <strong>${question.address}</strong>, and its terminal shows <strong>${formatUserCode(userCode)}</strong>.</p>
      <p>Allow this only if you have just run <strong>easel login</strong> there yourself. If somebody has sent you the code, cancel:
        that person would get your access.</p>
      ${accessText(asked, title, env)}
      <form method="post" action="/oauth/device"><input type="hidden" name="ticket" value="${ticket}">${answers()}</form>`,
  });
}

/** Sends the page that confirms the person's answer. */
const sendAnswered = (reply: FastifyReply, allowed: boolean): FastifyReply =>
  sendPage(reply, {
    title: allowed ? "Allowed" : "Cancelled",
    narrow: true,
    body: html`<h1>${allowed ? "The command line may act for you" : "Nothing is allowed"}</h1>
      <p>${allowed ? "Go back to your terminal. You can close this page." : "The command line gets no access."}</p>
      <footer class="links"><a href="/tokens">Access tokens</a><a href="/">Your canvases</a></footer>`,
  });

const UNKNOWN = "No terminal waits with this code. Compare the letters; a code is valid for 10 minutes.";

/**
 * Mounts `/oauth/device`: a signed-in person enters the code that a program shows in a terminal, sees which computer asks for what, and
 * answers (RFC 8628, section 3.3).
 */
export function mountDevice(app: FastifyInstance, env: Env): void {
  app.get("/oauth/device", { exposeHeadRoute: false }, async (request, reply) => {
    blockEmbedding(reply);
    await requirePerson(request, reply, "page", env);
    return sendUserCodeForm(reply);
  });

  app.post("/oauth/device", async (request, reply) => {
    // Both steps count as attempts, so that nobody can try user codes in large numbers.
    const { caller, form } = await receiveAttempt(request, reply, env);
    const { user } = caller;
    const ticket = form.get("ticket");
    if (ticket === undefined) return ask(form.get("user_code") ?? "", user, reply);
    return answer(readAnswered<string>("oauth.device", ticket, user, env), form.get("answer"), caller, reply);
  });

  async function ask(typed: string, user: User, reply: FastifyReply): Promise<FastifyReply> {
    const userCode = readUserCode(typed);
    const device = userCode === null ? undefined : await findWaitingDevice(userCode, env);
    if (userCode === null || device === undefined)
      return sendUserCodeForm(reply.code(400), { typed: typed.slice(0, 40), fault: UNKNOWN });
    await requireTokenRoom(user, env);
    const { host, scope, canvas_id: canvasId, address } = device;
    const question = {
      userCode,
      asked: { host, scope, canvasId },
      address: address ?? "",
      title: await titleOfAsked(canvasId, user, env),
      ticket: issueTicket("oauth.device", user, userCode, env),
    };
    return sendDeviceQuestion(reply, user, question, env);
  }

  async function answer(
    userCode: string,
    given: string | undefined,
    caller: Caller<User>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const allowed = given === "allow";
    if (allowed) await requireTokenRoom(caller.user, env);
    if (!(await answerDevice(userCode, caller, allowed ? "allow" : "deny", env)))
      return sendUserCodeForm(reply.code(400), { fault: UNKNOWN });
    return sendAnswered(reply, allowed);
  }
}
