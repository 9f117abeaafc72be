import type { FastifyInstance } from "fastify";
import { challenge } from "./auth/challenge.ts";
import { identify } from "./auth/index.ts";
import { listOpenable } from "./canvases/store.ts";
import type { Env } from "./env.ts";
import { html, sendPage } from "./kit/html.ts";

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
    const switchPerson =
      env.config.authMode === "dev" ? html`<a href="/auth/login">Sign in as someone else</a>` : null;
    return sendPage(reply, {
      title: "Your canvases",
      body: html`<div class="top"><h1>Your canvases</h1><small>${person.name} ${switchPerson}</small></div>
        ${
          cards.length > 0
            ? html`<ul class="grid">${cards}</ul>`
            : html`<p>Nothing has been shared with you yet. Publish a folder, and it appears here.</p>`
        }`,
    });
  });
}
