import type { TokenAudience, TokenInfo } from "@easel/protocol/management";
import type { FastifyReply } from "fastify";
import type { User } from "../access/principal.ts";
import { isId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { day, type Html, html, sendPage } from "../http/html.ts";
import { acceptsTokens, listTokens } from "../identity/tokens.ts";
import { NOT_ACCEPTED } from "../management/tokens.ts";
import { createdToken } from "./created-token.ts";
import { listManaged } from "./offered-canvases.ts";
import { type Choices, defaultsFor, SCOPES } from "./token-choices.ts";
import { type Fault, tokenForm } from "./token-form.ts";

/** Renders the canvas of a token. */
function canvasOf({ canvas }: TokenInfo): Html {
  if (canvas === null) return html`every canvas`;
  if (canvas.title === null) return html`a canvas that is deleted or no longer shared with you`;
  return html`${canvas.title} (${canvas.slug})`;
}

/** Renders the time when a token expires or has expired. */
function endOf({ expiresAt }: TokenInfo, now: number): Html {
  if (expiresAt === null) return html`Never ends`;
  return expiresAt > now
    ? html`Ends ${day(expiresAt)}`
    : html`<span class="state">Ended ${day(expiresAt)}</span>`;
}

/** Renders a token. The button that ends it is folded away under “End…”. */
function entry(token: TokenInfo, now: number): Html {
  const { id, name, scope, createdAt, usedAt } = token;
  return html`<li class="card"><strong>${name}</strong>
    <small>${SCOPES[scope].label} · ${canvasOf(token)}</small>
    <small>Created ${day(createdAt)} · ${usedAt === null ? "Never used" : html`Last used ${day(usedAt)}`} · ${endOf(token, now)}</small>
    <details><summary>End<span class="hidden"> ${name}</span>…</summary>
      <form method="post" action="/tokens"><p>Programs that use this token will be refused at once.</p>
      <button class="end" name="remove" value="${id}">End ${name}</button></form></details></li>`;
}

/** Renders the tokens of a user. */
const tokenList = (tokens: TokenInfo[], now: number): Html =>
  tokens.length === 0
    ? html`<p>You have no access tokens.</p>`
    : html`<ul>${tokens.map((token) => entry(token, now))}</ul>`;

const STYLE = `
fieldset{border:0;margin:.9rem 0 0;padding:0}legend{font-weight:600;padding:0;margin-bottom:.3rem}
::placeholder{color:var(--soft);opacity:1}input:is([type=radio],[type=checkbox]){accent-color:var(--accent)}
.choice{display:grid;grid-template-columns:auto 1fr;gap:0 .6rem;align-items:center;margin:.35rem 0}.choice input{width:auto;margin:0}
.choice label{font-weight:400;margin:0}.choice small{grid-column:2;color:var(--soft)}
.ask{margin-top:.9rem}.nested{margin:.2rem 0 .6rem 1.6rem}.nested label{margin:0;font-size:.9rem}.nested input{width:auto}
select{width:100%;font:inherit;color:inherit;background:var(--card);border:1px solid var(--soft);border-radius:.6rem;padding:.6rem .75rem}
.new{border:2px solid var(--accent);border-radius:.9rem;padding:1rem 1.1rem;margin:1.5rem 0}.new h2{margin:0}
pre{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.7rem .8rem;margin:.4rem 0;white-space:pre-wrap}
details{margin-top:.6rem}summary{cursor:pointer;color:var(--accent);width:fit-content}
.end{font:inherit;font-weight:600;color:light-dark(#a31621,#ff9aa2);background:none;border:1px solid currentColor;border-radius:.6rem;padding:.45rem .8rem;cursor:pointer}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}`;

/** The number of tokens on a page of the list. */
const PER_PAGE = 50;
/** The cursor of the first page. */
const FIRST = "z";

/** The content of the page besides the tokens of the user. */
export interface Shown {
  /** What a new token is for. */
  audience: TokenAudience;
  /** The id of the last token on the previous page of the list. */
  after?: string | undefined;
  /** The token that was just created, and its name. */
  created?: { name: string; token: string };
  /** The choices of a failed attempt to create a token, and the fault. */
  failed?: { choices: Choices; fault: Fault };
}

/** Sends the page on which a user creates and ends access tokens. */
export async function sendTokenPage(
  reply: FastifyReply,
  user: User,
  { audience, after, created, failed }: Shown,
  env: Env,
): Promise<FastifyReply> {
  const accepted = acceptsTokens(env.config);
  const maxDays = env.config.tokenMaxDays;
  const canvases = accepted ? await listManaged(user, env) : [];
  const form = accepted
    ? tokenForm(failed?.choices ?? defaultsFor(audience, maxDays), {
        canvases,
        maxDays,
        fault: failed?.fault ?? null,
      })
    : html`<p>${NOT_ACCEPTED}</p>`;
  const { title, introduction, list } = await (audience === "mcp"
    ? toolsPart(env)
    : programsPart(user, after, env));
  return sendPage(reply, {
    title: failed === undefined ? title : "No token created",
    style: STYLE,
    body: html`<div class="top"><h1>${title}</h1>${introduction}
      ${created === undefined ? null : createdToken(audience, created, env)}
      ${list}
      <section aria-labelledby="new"><h2 id="new">New token</h2>${form}</section>`,
  });
}

/** What the page shows besides the new token and the form. */
interface PagePart {
  title: string;
  /** The links beside the title, which they end, and a paragraph. */
  introduction: Html;
  list: Html;
}

/** Returns the part for tokens of programs, which the page lists. */
async function programsPart(user: User, after: string | undefined, env: Env): Promise<PagePart> {
  const cursor = after !== undefined && isId(after) ? after : FIRST;
  const { entries, nextCursor } = await listTokens(user, { cursor, limit: PER_PAGE }, env);
  return {
    title: "Access tokens",
    introduction: html`<div class="links"><a href="/">Your canvases</a><a href="/docs/ci">Documentation</a></div></div>
      <p>Programs use an access token to act for you, for example the command line and CI. End those that you no longer use.</p>
      <p class="links">For AI tools: <a href="/account#tools">Connected tools</a><a href="/tokens?for=mcp">New token for an AI tool</a></p>`,
    list: html`<section aria-labelledby="yours"><h2 id="yours">Your tokens</h2>${tokenList(entries, env.clock())}
        ${nextCursor === null ? null : html`<p class="links"><a href="/tokens?cursor=${nextCursor}">Older tokens</a></p>`}</section>`,
  };
}

/** Returns the part for tokens of AI tools, which the account of the person lists. */
const toolsPart = ({ base }: Env): PagePart => ({
  title: "Tokens for AI tools",
  introduction: html`<div class="links"><a href="/tokens">Access tokens</a><a href="/docs/agents">Documentation</a></div></div>
      <p>Most AI tools sign in by themselves: they need the address <strong>${base.origin}/mcp</strong> alone, and you are asked what they may
      do. Create a token for one that cannot.</p>`,
  list: html`<p class="links"><a href="/account#tools">Your connected tools</a></p>`,
});
