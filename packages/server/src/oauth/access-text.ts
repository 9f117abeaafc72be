import type { Env } from "../env.ts";
import { day, type Html, html } from "../http/html.ts";
import { SCOPES } from "../token-page/token-choices.ts";
import type { AskedAccess } from "./asked-access.ts";
import { tokenLifetimeMs } from "./cli-tokens.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Renders the name of a computer. `bdi` keeps letters of a right-to-left script from changing the order of the text around it. */
export const hostText = ({ host }: Pick<AskedAccess, "host">): Html => html`<bdi>${host}</bdi>`;

/**
 * Renders the rights that a program asks for, the date on which they end, and a link to the page on which the person can end them earlier.
 * `title` is the title of the only canvas; null for every canvas.
 */
export function accessText({ scope }: AskedAccess, title: string | null, env: Env): Html {
  const [now, lifetime] = [env.clock(), tokenLifetimeMs(env)];
  const { label, explanation } = SCOPES[scope];
  const only =
    title === null ? null : html` All of this only on the canvas <strong><bdi>${title}</bdi></strong>.`;
  return html`<p>What it can do: <strong>${label}</strong>. ${explanation}${only}</p>
    <p>The access ends after ${lifetime / DAY_MS} days, on ${day(now + lifetime)}. You can end it before at any
      time on the page <a href="/tokens">Access tokens</a>.</p>`;
}

/** Renders the buttons Allow and Cancel. */
export const answers = (): Html =>
  html`<div class="answers"><button class="button" name="answer" value="allow">Allow</button>
    <button class="button other" name="answer" value="deny">Cancel</button></div>`;

/** The style sheet of pages with `answers`. */
export const ANSWERS_STYLE = `.answers{display:flex;flex-wrap:wrap;gap:0 .75rem}
.button.other{color:var(--ink);background:none;border-color:var(--soft)}`;
