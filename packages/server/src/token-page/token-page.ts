import { LIMITS } from "@easel/protocol/limits";
import { TOKEN_SCOPES, type TokenInfo } from "@easel/protocol/management";
import type { FastifyReply } from "fastify";
import type { User } from "../access/principal.ts";
import { isId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { day, type Html, html, sendPage } from "../http/html.ts";
import { acceptsTokens, listTokens } from "../identity/tokens.ts";
import { NOT_ACCEPTED } from "../management/tokens.ts";
import { type Choices, DEFAULTS, LIFETIMES, SCOPES } from "./token-choices.ts";

/** The maximum number of canvases that the form offers. Tokens for others can be created through the management API. */
const OFFERED = 500;

/** A canvas that a token can be restricted to. */
interface OfferedCanvas {
  id: string;
  title: string;
  slug: string;
}

/** Lists the canvases that a user owns or edits, by title. */
export const listManaged = (user: User, { db }: Env): Promise<OfferedCanvas[]> =>
  db.all<OfferedCanvas>`
    select id, title, slug from canvases
    where deleted_at is null and id in (select id from canvases where owner_id = ${user.id}
      union select canvas_id from roles where email = ${user.email} and role = 'editor')
    order by lower(title), id limit ${OFFERED}`;

/** A fault of the submitted form: its field and its message. */
export interface Fault {
  field: keyof Choices | null;
  message: string;
}

const NOTHING = html``;

/** Renders a radio button with its label, and an explanation if there is one. */
function choice(name: string, value: string, label: string, chosen: string, explanation?: string): Html {
  const id = `${name}-${value}`;
  const described = explanation === undefined ? NOTHING : html` aria-describedby="${id}-means"`;
  return html`<div class="choice">
    <input type="radio" id="${id}" name="${name}" value="${value}"${value === chosen ? html` checked` : NOTHING}${described}>
    <label for="${id}">${label}</label>${explanation === undefined ? null : html`<small id="${id}-means">${explanation}</small>`}</div>`;
}

/** Renders the form that creates a token, with the choices of the previous attempt and its fault, if there was one. */
function tokenForm(chosen: Choices, canvases: OfferedCanvas[], fault: Fault | null): Html {
  const marks = (field: keyof Choices) =>
    fault?.field === field ? html` aria-invalid="true" aria-describedby="fault" autofocus` : NOTHING;
  return html`<form method="post" action="/tokens">
    ${fault === null ? null : html`<p class="fault" id="fault" role="alert">${fault.message}</p>`}
    <label for="name">Name</label>
    <input id="name" name="name" value="${chosen.name}" required maxlength="${LIMITS.nameLength.value}" autocomplete="off"
      placeholder="Where you will use it, such as: CI"${marks("name")}>
    <fieldset><legend>What it can do</legend>${TOKEN_SCOPES.map((scope) => {
      const { label, explanation } = SCOPES[scope];
      return choice("scope", scope, label, chosen.scope, explanation);
    })}</fieldset>
    <label for="canvas">Canvas</label>
    <select id="canvas" name="canvas"${marks("canvas")}><option value="">Every canvas</option>${canvases.map(
      ({ id, title, slug }) =>
        html`<option value="${id}"${id === chosen.canvas ? html` selected` : NOTHING}>${title} (${slug})</option>`,
    )}</select>
    <fieldset><legend>Ends</legend>
      ${LIFETIMES.map((days) => choice("end", String(days), `In ${days} days`, chosen.end))}
      ${choice("end", "date", "At the end of a day", chosen.end)}
      <div class="nested"><label for="date">Last day (UTC)</label>
      <input id="date" name="date" type="date" value="${chosen.date}"${marks("date")}></div>
      ${choice("end", "never", "Never", chosen.end)}</fieldset>
    <button class="button">Create token</button></form>`;
}

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
::placeholder{color:var(--soft);opacity:1}input[type=radio]{accent-color:var(--accent)}
.choice{display:grid;grid-template-columns:auto 1fr;gap:0 .6rem;align-items:center;margin:.35rem 0}.choice input{width:auto;margin:0}
.choice label{font-weight:400;margin:0}.choice small{grid-column:2;color:var(--soft)}
.nested{margin:.2rem 0 .6rem 1.6rem}.nested label{margin:0;font-size:.9rem}.nested input{width:auto}
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
  /** The id of the last token on the previous page of the list. */
  after?: string | undefined;
  /** The token that was just created, and its name. */
  created?: { name: string; token: string };
  /** The choices of a failed attempt to create a token, and the fault. */
  failed?: { choices: Choices; fault: Fault };
}

/** Renders a token that was just created. It is shown only once. */
const createdToken = ({ name, token }: { name: string; token: string }, { base }: Env): Html =>
  html`<section class="new" aria-labelledby="created"><h2 id="created">New token: ${name}</h2>
    <p role="status">Copy it now. It is not shown again.</p>
    <label for="token">Token</label><input id="token" value="${token}" readonly autofocus spellcheck="false" autocomplete="off">
    <p>Programs and the command line read it from the environment:</p>
    <pre tabindex="0" aria-label="Commands">export EASEL_URL=${base.origin}
export EASEL_TOKEN=${token}
easel whoami</pre></section>`;

/** Sends the page on which a user creates and ends access tokens. */
export async function sendTokenPage(
  reply: FastifyReply,
  user: User,
  { after, created, failed }: Shown,
  env: Env,
): Promise<FastifyReply> {
  const accepted = acceptsTokens(env.config);
  const [{ entries, nextCursor }, canvases] = await Promise.all([
    listTokens(user, { cursor: after !== undefined && isId(after) ? after : FIRST, limit: PER_PAGE }, env),
    accepted ? listManaged(user, env) : [],
  ]);
  const form = accepted
    ? tokenForm(failed?.choices ?? DEFAULTS, canvases, failed?.fault ?? null)
    : html`<p>${NOT_ACCEPTED}</p>`;
  return sendPage(reply, {
    title: failed === undefined ? "Access tokens" : "No token created",
    style: STYLE,
    body: html`<div class="top"><h1>Access tokens</h1><div class="links"><a href="/">Your canvases</a><a href="/docs/ci">Documentation</a></div></div>
      <p>Programs use an access token to act for you, for example the command line and CI. End those that you no longer use.</p>
      ${created === undefined ? null : createdToken(created, env)}
      <section aria-labelledby="yours"><h2 id="yours">Your tokens</h2>${tokenList(entries, env.clock())}
        ${nextCursor === null ? null : html`<p class="links"><a href="/tokens?cursor=${nextCursor}">Older tokens</a></p>`}</section>
      <section aria-labelledby="new"><h2 id="new">New token</h2>${form}</section>`,
  });
}
