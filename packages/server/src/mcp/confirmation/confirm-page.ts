import type { FastifyReply } from "fastify";
import type { User } from "../../access/principal.ts";
import { address, type Html, html, sendPage } from "../../http/html.ts";
import type { App } from "../../identity/apps.ts";
import type { TicketAnswer } from "../../identity/used-tickets.ts";
import { type Proposal, shownBy } from "./proposal.ts";

const STYLE = `.changes{margin:1.5rem 0;display:grid;gap:.75rem}.changes dt{font-weight:600}.changes dd{margin:.2rem 0 0;color:var(--soft)}
.changes dd strong{display:inline;color:var(--ink)}.answers{display:grid;gap:0 .75rem;margin:1.5rem 0 2rem}
.answers .button{padding:.9rem 1.1rem;font-size:1.05rem}.button.other{color:var(--ink);background:none;border-color:var(--soft)}
@media(min-width:30rem){.answers{grid-template-columns:1fr 1fr}}`;

/** Renders which program asks. Its name is its own choice; the host of its document, if there is one, is not. */
const programText = ({ clientName, clientHost }: App): Html =>
  clientHost === null
    ? html`A program that calls itself <strong><bdi>${clientName}</bdi></strong> asks for it.`
    : html`<strong><bdi>${clientName}</bdi></strong> from <strong><bdi>${clientHost}</bdi></strong> asks for it.`;

const canvasText = ({ title, url }: Proposal["canvas"]): Html =>
  html`<strong><bdi>${title}</bdi></strong> at <bdi>${url}</bdi>`;

/** Renders what changes, with words for the time before and after. */
const changesText = ({ changes }: Proposal, [before, after]: [string, string]): Html =>
  html`<dl class="changes">${changes.map(
    ({ what, from, to }) => html`<div class="card"><dt><bdi>${what}</bdi></dt>
      <dd>${before}: ${from}</dd><dd>${after}: <strong>${to}</strong></dd></div>`,
  )}</dl>`;

/** The page that shows what a program wants to do, and asks the person. `again`: what they had seen has changed meanwhile. */
export function sendQuestion(
  reply: FastifyReply,
  { proposal, app, user, again }: { proposal: Proposal; app: App; user: User; again: boolean },
): FastifyReply {
  const { canvas, heading, notes } = proposal;
  return sendPage(reply, {
    title: heading,
    style: STYLE,
    narrow: true,
    body: html`<h1>${heading}</h1>
      ${again ? html`<p class="fault" role="alert">The canvas has changed meanwhile. Nothing was done: this is what would happen now.</p>` : null}
      <p>${programText(app)} The canvas is ${canvasText(canvas)}.</p>
      ${changesText(proposal, ["Now", "Then"])}
      ${notes.map((note) => html`<p>${note}</p>`)}
      <p>You are signed in as <strong>${address(user.email)}</strong>. Allow it only if you want it yourself: programs can be misled by what
        they read.</p>
      <form method="post"><input type="hidden" name="shown" value="${shownBy(proposal)}">
        <div class="answers"><button class="button" name="answer" value="allow">Allow</button>
          <button class="button other" name="answer" value="deny">Do not allow</button></div></form>`,
  });
}

const links = (canvasId: string): Html =>
  html`<footer class="links"><a href="/canvases/${canvasId}/sharing">Sharing of this canvas</a><a href="/">Your canvases</a></footer>`;

const BACK = "Go back to your assistant and tell it that you have answered. You can close this page.";

/** The page after an answer. `next` is what the person should know now. */
export const sendDone = (
  reply: FastifyReply,
  { proposal, next, canvasId }: { proposal: Proposal; next: Html | null; canvasId: string },
): FastifyReply =>
  sendPage(reply, {
    title: "Allowed",
    style: STYLE,
    narrow: true,
    body: html`<h1>Allowed and done</h1>${changesText(proposal, ["Before", "Now"])}${next}<p>${BACK}</p>${links(canvasId)}`,
  });

const ANSWERED: Record<TicketAnswer | "nothing", { title: string; text: string }> = {
  allowed: { title: "You have allowed this", text: "Each question is answered once, and this one is." },
  refused: { title: "Nothing was done", text: "You have not allowed it, and the program is told so." },
  nothing: { title: "Nothing to do", text: "The canvas is already as the program wants it." },
};

/** The page for a question that needs no answer any more. */
export const sendAnswered = (
  reply: FastifyReply,
  answer: TicketAnswer | "nothing",
  canvasId: string,
): FastifyReply =>
  sendPage(reply, {
    title: ANSWERED[answer].title,
    narrow: true,
    body: html`<h1>${ANSWERED[answer].title}</h1><p>${ANSWERED[answer].text}</p><p>${BACK}</p>${links(canvasId)}`,
  });
