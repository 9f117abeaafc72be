import type { FastifyInstance } from "fastify";
import { challenge } from "./auth/challenge.ts";
import { identify } from "./auth/index.ts";
import type { Person } from "./auth/people.ts";
import { listOpenable } from "./canvases/store.ts";
import type { Env } from "./env.ts";
import { address, type Html, html, sendPage } from "./kit/html.ts";

/** `/`: the canvases that the person may open. */
export function mountHome(app: FastifyInstance, env: Env): void {
  app.get("/", async (request, reply) => {
    const person = await identify(request.raw, reply, env);
    if (person === null) return challenge(request.raw, "page", env);
    const canvases = await listOpenable(person, env);
    const cards = canvases.map(
      ({ slug, title, role }) => html`<li><a class="card" href="${env.base.canvasUrl(slug)}">
        <strong>${title}</strong><small>${slug} · ${role}</small></a></li>`,
    );
    return sendPage(reply, {
      title: "Your canvases",
      body: html`<div class="top"><h1>Your canvases</h1>${whoYouAre(person, env)}</div>
        ${
          cards.length > 0
            ? html`<ul class="grid">${cards}</ul>`
            : html`<p>Nothing has been shared with you yet. Publish a folder, and it appears here.</p>`
        }`,
    });
  });
}

/** As whom one is signed in, and the ways out; a proxy in front has its own. */
function whoYouAre({ email, guestOf }: Person, { config }: Env): Html {
  const proxy = config.authMode === "proxy";
  const other = proxy ? null : html`<a href="/auth/login?anew=1">Sign in as someone else</a>`;
  const out =
    proxy && guestOf === null
      ? null
      : html`<form method="post" action="/auth/logout"><button>Sign out</button></form>`;
  return html`<div class="links"><span>${address(email)}</span>${other}${out}</div>`;
}
