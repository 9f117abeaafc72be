import { TOOL_RIGHTS } from "@easel/protocol/management";
import type { FastifyReply } from "fastify";
import type { User } from "../../access/principal.ts";
import { redirectHost, redirectKind } from "../../access/redirect-uri.ts";
import { issueTicket } from "../../crypto/tickets.ts";
import type { Env } from "../../env.ts";
import { address, day, type Html, html, sendPage } from "../../http/html.ts";
import { listManaged } from "../../token-page/offered-canvases.ts";
import { askBox, choice } from "../../token-page/token-form.ts";
import { ANSWERS_STYLE, answers } from "../access-text.ts";
import { formTarget } from "../way-back.ts";
import type { AppRequest } from "./app-request.ts";
import { type CanvasChoice, type Choices, offeredScopes } from "./app-rights.ts";
import { APP_LIFETIME_MS } from "./redeem-code.ts";

const CANVASES: Record<CanvasChoice, string> = {
  all: "All that you can use",
  made: "Only those that this tool makes",
  one: "Only one",
};

/** Renders who says what the program is. */
function source({ kind, host }: AppRequest["client"]): Html {
  if (kind === "registered")
    return fact("Who vouches for it", "Nobody", caution("The program has chosen its name itself."));
  if (host === null)
    return fact("Who vouches for it", "This service", html`An administrator has added the program.`);
  const published = html`The name is published there.`;
  return fact("Who vouches for it", host, kind === "known" ? html`Easel knows the program.` : published);
}

const PLACES: Record<string, Html> = {
  loopback: html`${caution(
    "A program on this computer, whichever listens there. Allow this only if you have just started it yourself.",
  )}`,
  private: html`The application on this device that opens such addresses.`,
  https: html`A server, which then uses Easel for you.`,
};

/** Renders where the person is sent back to, and with them the access. */
const destination = ({ redirectUri }: AppRequest): Html =>
  fact("Where the access goes", redirectHost(redirectUri), PLACES[redirectKind(redirectUri) ?? ""] ?? html``);

const fact = (term: string, host: string, explanation: Html): Html =>
  html`<div><dt>${term}</dt><dd class="host"><bdi>${host}</bdi></dd><dd>${explanation}</dd></div>`;

function caution(text: string): Html {
  return html`<span class="caution"><strong>Caution:</strong> ${text}</span>`;
}

/**
 * Renders the choice of canvases: one alone only for a person who has canvases. `isMissing` is whether they have chosen one alone, but not
 * which.
 */
async function canvasChoice(
  { canvases, canvas }: Choices,
  isMissing: boolean,
  user: User,
  env: Env,
): Promise<Html> {
  const own = await listManaged(user, env);
  const offered: CanvasChoice[] = own.length > 0 || isMissing ? ["all", "made", "one"] : ["all", "made"];
  const marks = isMissing ? html` aria-invalid="true" aria-describedby="fault" autofocus` : null;
  return html`<fieldset><legend>Which canvases</legend>${offered.map((each) =>
    choice("canvases", each, CANVASES[each], canvases),
  )}<div class="one"><label for="canvas">Canvas</label>
    <select id="canvas" name="canvas"${marks}><option value="">Choose…</option>${own.map(
      ({ id, title, slug }) =>
        html`<option value="${id}"${id === canvas ? html` selected` : null}>${title} (${slug})</option>`,
    )}</select>${isMissing ? html`<p class="fault" id="fault" role="alert">Choose a canvas.</p>` : null}</div></fieldset>`;
}

/**
 * Sends the page that asks a person whether a program may use the service for them, and for what. `isMissing` is whether they have chosen to
 * allow one canvas, but not which.
 */
export async function sendAppConsent(
  reply: FastifyReply,
  request: AppRequest,
  { choices, isMissing }: { choices: Choices; isMissing: boolean },
  user: User,
  env: Env,
): Promise<FastifyReply> {
  const { client, redirectUri } = request;
  const { scope, confirms } = choices;
  return sendPage(reply, {
    title: `Let “${client.name}” use Easel for you?`,
    narrow: true,
    formsLeadTo: formTarget(redirectUri),
    style: ANSWERS_STYLE + STYLE,
    body: html`<h1>Let “<bdi>${client.name}</bdi>” use Easel for you?</h1>
      <p>You are signed in as <strong>${address(user.email)}</strong>.</p>
      <dl>${source(client)}${destination(request)}</dl>
      <form method="post" action="/oauth/authorize">
        <input type="hidden" name="ticket" value="${issueTicket("oauth.authorize", user, request, env)}">
        <fieldset><legend>What it may do</legend>${[...offeredScopes(request)]
          .reverse()
          .map((each) =>
            choice("scope", each, TOOL_RIGHTS[each].label, scope, TOOL_RIGHTS[each].explanation),
          )}</fieldset>
        ${await canvasChoice(choices, isMissing, user, env)}
        ${askBox(confirms)}
        <p>The access ends after 30 days without use, and on ${day(env.clock() + APP_LIFETIME_MS)} at the latest. You can end it before
          at any time, among your <a href="/account">connected tools</a>.</p>${answers()}</form>`,
  });
}

const STYLE = `
dl{margin:1.5rem 0;display:grid;gap:.75rem}dl>div{background:var(--card);border:1px solid var(--line);border-radius:.9rem;padding:.8rem 1.1rem}
dt{font-weight:600;color:var(--soft);font-size:.9rem}dd{margin:0;color:var(--soft)}
dd.host{font-size:1.5rem;line-height:1.25;font-weight:650;color:var(--ink);letter-spacing:-.01em}
.caution{display:block;margin-top:.3rem;padding-left:.7rem;border-left:3px solid light-dark(#a35a00,#f0b356);color:var(--ink)}
fieldset{border:0;margin:1.4rem 0 0;padding:0;min-width:0}legend{font-weight:600;padding:0;margin-bottom:.3rem}
.choice{display:grid;grid-template-columns:auto 1fr;gap:0 .6rem;align-items:baseline;margin:.35rem 0}
.choice input{width:auto;margin:0;accent-color:var(--accent)}.choice label{margin:0;font-weight:400}
.choice small{grid-column:2;color:var(--soft)}.ask{margin-top:1.4rem}form>p{margin:1.4rem 0 0}
select{width:100%;font:inherit;color:inherit;background:var(--card);border:1px solid var(--soft);border-radius:.6rem;padding:.6rem .75rem}
select[aria-invalid]{border-color:light-dark(#a31621,#ff9aa2)}
.one{padding-left:1.4rem}fieldset:not(:has(#canvases-one:checked)) .one{display:none}`;
