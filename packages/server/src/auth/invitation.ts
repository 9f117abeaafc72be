import type { FastifyInstance } from "fastify";
import { roleOf } from "../access/roles.ts";
import { findEntry } from "../canvases/entry.ts";
import type { Env } from "../env.ts";
import { html, sendPage } from "../kit/html.ts";
import { refuse } from "../kit/refusal.ts";
import { wantsPage } from "../kit/wants-page.ts";
import { take } from "../rate-limit.ts";
import { guestBy } from "./guests.ts";
import { identify } from "./index.ts";
import type { Person } from "./people.ts";
import { startSession } from "./session.ts";

/** Whether someone who has signed in may enter a canvas without an invitation. */
async function mayEnter(person: Person, slug: string, env: Env): Promise<boolean> {
  if (person.guestOf !== null) return false;
  const canvas = await findEntry(slug, person.email, env);
  return canvas !== null && roleOf({ kind: "member", id: person.id }, canvas) !== null;
}

/**
 * `GET /auth/invite/{token}`: makes the browser a guest of one canvas and leads there (management API, section 2). Who has
 * signed in and may enter the canvas stays who they are.
 */
export function mountInvitation(app: FastifyInstance, env: Env): void {
  app.get<{ Params: { token: string } }>(
    "/auth/invite/:token",
    { exposeHeadRoute: false },
    async (request, reply) => {
      if (!(await take(`login ${request.ip}`, env.config.loginPerMinute, reply, env))) refuse("RATE_LIMITED");
      reply.header("cache-control", "private, no-store").header("referrer-policy", "no-referrer");
      const found = await guestBy(request.params.token, env);
      if (found === null) {
        const message = "This invitation is no longer good. Ask whoever sent it for a new one.";
        if (!wantsPage(request.headers)) refuse("NOT_FOUND", { message });
        const body = html`<h1>No longer good</h1><p>${message}</p>`;
        return sendPage(reply.code(404), { title: "Invitation", narrow: true, body });
      }
      const person = await identify(request.raw, reply, env);
      if (person === null || !(await mayEnter(person, found.slug, env))) {
        reply.header("set-cookie", await startSession(found.guest, request, env));
      }
      return reply.redirect(env.base.canvasUrl(found.slug), 303);
    },
  );
}
