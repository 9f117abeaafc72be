import type { FastifyReply } from "fastify";
import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { address, html, sendPage } from "../http/html.ts";
import { ANSWERS_STYLE, accessText, answers, hostText } from "./access-text.ts";
import type { AskedAccess } from "./asked-access.ts";
import { formatUserCode } from "./user-code.ts";

/** Sends the page on which a person enters the code of a device. After a wrong code it shows what was typed and the message `fault`. */
export function sendUserCodeForm(
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
export function sendDeviceQuestion(
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
      ${accessText(asked, title, env.clock())}
      <form method="post" action="/oauth/device"><input type="hidden" name="ticket" value="${ticket}">${answers()}</form>`,
  });
}

/** Sends the page that confirms the person's answer. */
export const sendAnswered = (reply: FastifyReply, allowed: boolean): FastifyReply =>
  sendPage(reply, {
    title: allowed ? "Allowed" : "Cancelled",
    narrow: true,
    body: html`<h1>${allowed ? "The command line may act for you" : "Nothing is allowed"}</h1>
      <p>${allowed ? "Go back to your terminal. You can close this page." : "The command line gets no access."}</p>
      <footer class="links"><a href="/tokens">Access tokens</a><a href="/">Your canvases</a></footer>`,
  });
