import type { TokenInfo } from "@easel/protocol/management";
import { day } from "../http/day.ts";
import { type Html, html } from "../http/html.ts";
import { SCOPES } from "./token-choices.ts";

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
export const tokenList = (tokens: TokenInfo[], now: number): Html =>
  tokens.length === 0
    ? html`<p>You have no access tokens.</p>`
    : html`<ul>${tokens.map((token) => entry(token, now))}</ul>`;
