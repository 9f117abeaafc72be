import type { TokenAudience } from "@easel/protocol/management";
import type { Env } from "../env.ts";
import { type Html, html } from "../http/html.ts";

/** Renders how programs use a token for `/api` and `/v1`. */
const forPrograms = (token: string, origin: string): Html => html`
    <p>Programs and the command line read it from the environment:</p>
    <pre tabindex="0" aria-label="Commands">export EASEL_URL=${origin}
export EASEL_TOKEN=${token}
easel whoami</pre>`;

/** Renders how an AI tool uses a token for `/mcp`. */
const forTools = (token: string, origin: string): Html => html`
    <p>The tool needs the address and the header:</p>
    <pre tabindex="0" aria-label="Address and header">${origin}/mcp
Authorization: Bearer ${token}</pre>
    <p>In most settings, as JSON:</p>
    <pre tabindex="0" aria-label="Settings">${JSON.stringify(
      {
        mcpServers: {
          easel: { type: "http", url: `${origin}/mcp`, headers: { Authorization: `Bearer ${token}` } },
        },
      },
      null,
      2,
    )}</pre>`;

/** Renders a token that was just created, and how it is used. It is shown only once. */
export const createdToken = (
  audience: TokenAudience,
  { name, token }: { name: string; token: string },
  { base: { origin } }: Env,
): Html =>
  html`<section class="new" aria-labelledby="created"><h2 id="created">New token: ${name}</h2>
    <p role="status">Copy it now. It is not shown again.</p>
    <label for="token">Token</label><input id="token" value="${token}" readonly autofocus spellcheck="false" autocomplete="off">
    ${audience === "mcp" ? forTools(token, origin) : forPrograms(token, origin)}</section>`;
