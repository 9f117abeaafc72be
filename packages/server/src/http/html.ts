import { createHash } from "node:crypto";
import type { FastifyReply } from "fastify";

/** A piece of HTML, which `html` inserts without escaping it. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | Html[] | null;

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function render(part: Part): string {
  if (part === null) return "";
  if (Array.isArray(part)) return part.map(render).join("");
  if (part instanceof Html) return part.text;
  return String(part).replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** Builds HTML from a template; escapes every value that is not `Html`. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(strings.reduce((before, after, index) => before + render(parts[index - 1] ?? null) + after));

/** Renders an e-mail address with a line break opportunity after its `@`. */
export function address(email: string): Html {
  const at = email.lastIndexOf("@") + 1;
  return html`${email.slice(0, at)}<wbr>${email.slice(at)}`;
}

const STYLE = `
:root{color-scheme:light dark;--ink:light-dark(#1d2433,#e9ecf3);--soft:light-dark(#5b6478,#a3acc0);--paper:light-dark(#f6f5f1,#14171f);
--card:light-dark(#fff,#1c212c);--line:light-dark(#e2e0d8,#2c3342);--accent:light-dark(#3f51c9,#9aa8ff);--on-accent:light-dark(#fff,#10142a)}
*{box-sizing:border-box}body{margin:0;min-height:100vh;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:46rem;margin:0 auto;padding:clamp(2rem,8vh,6rem) 1.25rem 4rem}main.narrow{max-width:26rem}
h1{font-size:1.75rem;line-height:1.2;letter-spacing:-.02em;margin:0 0 .4rem;text-wrap:balance}p{margin:.4rem 0 1.2rem;color:var(--soft);text-wrap:pretty}
p strong{color:var(--ink)}
h2{font-size:1.2rem;line-height:1.3;margin:2.2rem 0 0}h2+ul{margin-top:.9rem}
.brand{display:flex;align-items:center;gap:.6rem;font-weight:650;margin-bottom:2rem}.brand svg{width:1.6rem;height:1.6rem;color:var(--accent)}
a{color:var(--accent)}:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
ul{list-style:none;padding:0;margin:1.5rem 0;display:grid;gap:.75rem}ul.grid{grid-template-columns:repeat(auto-fill,minmax(15rem,1fr))}
.card{display:block;width:100%;text-align:left;font:inherit;color:inherit;text-decoration:none;background:var(--card);border:1px solid var(--line);border-radius:.9rem;padding:1rem 1.1rem}
a.card:hover,button.card:hover{border-color:var(--accent)}button.card{cursor:pointer}.card strong,.card small{display:block}.card small{color:var(--soft)}.grid .card{height:100%}div.card{background:none}.card .state{color:var(--ink);font-weight:600}
label{display:block;font-weight:600;margin:.9rem 0 .3rem}input{width:100%;font:inherit;color:inherit;background:var(--card);border:1px solid var(--soft);border-radius:.6rem;padding:.6rem .75rem}
.button{font:inherit;font-weight:600;color:var(--on-accent);background:var(--accent);border:1px solid transparent;border-radius:.6rem;padding:.65rem 1.1rem;cursor:pointer;margin-top:1.1rem;text-decoration:none;display:inline-block}
.top{display:flex;justify-content:space-between;align-items:baseline;gap:.2rem 1rem;flex-wrap:wrap}
.links{font-size:.9rem;color:var(--soft);display:flex;flex-wrap:wrap;gap:.3rem 1rem;align-items:baseline}.links p{flex-basis:100%;margin:0}
.links button{font:inherit;color:var(--accent);background:none;border:0;padding:0;text-decoration:underline;cursor:pointer}
footer{margin-top:2.5rem;border-top:1px solid var(--line);padding-top:1rem}
.fault{color:light-dark(#a31621,#ff9aa2);margin:.4rem 0 0}input[aria-invalid]{border-color:light-dark(#a31621,#ff9aa2)}`;

const sourceOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const OWN_STYLE = sourceOf(STYLE);

const policyOf = ({ style, script }: PageParts): string =>
  [
    "default-src 'none'",
    `style-src ${OWN_STYLE}${style === undefined ? "" : ` ${sourceOf(style)}`}`,
    ...(script === undefined ? [] : [`script-src ${sourceOf(script)}`]),
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
  ].join("; ");

const MARK = new Html(
  '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><rect x="4" y="4" width="16" height="11" rx="1.5"/><path d="M12 2v2M8 15l-3 7M16 15l3 7M12 15v4"/></svg>',
);

/** The style sheet and the script of one page of the service itself. */
interface PageParts {
  /** A style sheet, besides the one that all pages share. */
  style?: string;
  /** A script. Only pages that show nothing of anyone have one. */
  script?: string;
}

/** The content of a page of the service itself. */
interface PageContent extends PageParts {
  title: string;
  body: Html;
  narrow?: boolean;
}

/** Returns the HTML of a page of the service itself. */
export const printPage = ({ title, body, narrow = false, style, script }: PageContent): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Easel</title><style>${new Html(STYLE)}</style>${style === undefined ? null : html`<style>${new Html(style)}</style>`}</head>
<body><main${narrow ? new Html(' class="narrow"') : null}><div class="brand">${MARK}<span>Easel</span></div>${body}</main>${
    script === undefined ? null : html`<script>${new Html(script)}</script>`
  }</body></html>`.text;

/** Returns the security headers of a page of the service itself with these parts. */
export const pageHeaders = (parts: PageParts): Record<string, string> => ({
  "content-security-policy": policyOf(parts),
  // In path mode the pages of canvases have this origin, too. If such a page opens this one, it must not get a reference to the new
  // window.
  "cross-origin-opener-policy": "same-origin",
  // The check that a request comes from the service's own pages reads `Referer`, so they send it to the service, and to nobody else.
  "referrer-policy": "same-origin",
});

/**
 * Sends a page of the service itself. `formsLeadTo` is a CSP source such as `https://*.example.com`, which is added to
 * `form-action`. It must match the origins to which the response to a submitted form redirects.
 */
export function sendPage(
  reply: FastifyReply,
  { formsLeadTo = null, ...content }: PageContent & { formsLeadTo?: string | null },
): FastifyReply {
  const headers = pageHeaders(content);
  if (reply.hasHeader("referrer-policy")) delete headers["referrer-policy"];
  if (formsLeadTo !== null) headers["content-security-policy"] += ` ${formsLeadTo}`;
  return reply
    .headers(headers)
    .header("content-type", "text/html; charset=utf-8")
    .header("cache-control", "private, no-store")
    .send(printPage(content));
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Renders the day (UTC) of a time in epoch milliseconds, such as `7 Jan 2026`. */
export function day(at: number): Html {
  const date = new Date(at);
  const text = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  return html`<time datetime="${date.toISOString()}">${text}</time>`;
}
