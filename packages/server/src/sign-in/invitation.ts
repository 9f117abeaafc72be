import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { User } from "../access/principal.ts";
import { roleOf } from "../access/roles.ts";
import { findForAccess } from "../canvases/access-lookup.ts";
import type { Env } from "../env.ts";
import { requireSameOrigin } from "../http/csrf.ts";
import { destinationOf } from "../http/fetch-metadata.ts";
import { refuse } from "../http/refusal.ts";
import { wantsPage } from "../http/wants-page.ts";
import { guestBy } from "../identity/guests.ts";
import { identify } from "../identity/identify.ts";
import { startSession } from "../identity/session.ts";
import { mayTry } from "./attempts.ts";
import { NO_LONGER_GOOD, sendNoLongerGood, sendQuestion } from "./invitation-page.ts";

/** What a link leads to: who its guest is, and the canvas. */
type Invitation = NonNullable<Awaited<ReturnType<typeof guestBy>>>;

/** Whether somebody opens the canvas as who they are: its guest already, or someone who may enter without an invitation. */
async function stays(user: User, { guest, slug }: Invitation, env: Env): Promise<boolean> {
  if (user.guestOf !== null) return user.id === guest.id;
  // What a proxy says of each request goes before the session of a guest.
  if (env.config.authMode === "proxy") return true;
  const canvas = await findForAccess(slug, user.email, env);
  return canvas !== null && roleOf(user, canvas) !== null;
}

/**
 * `/auth/invite/{token}`: makes the browser a guest of one canvas and leads there (management API, section 2). Who has
 * signed in and may enter the canvas stays who they are; anyone else is asked before they are signed out, since any page
 * can send a browser here.
 */
export function mountInvitation(app: FastifyInstance, env: Env): void {
  type Request = FastifyRequest<{ Params: { token: string } }>;

  async function find(request: Request, reply: FastifyReply): Promise<Invitation | null> {
    if (!["document", "unknown"].includes(destinationOf(request.headers))) {
      refuse("PERMISSION_DENIED", { message: "An invitation is a page of its own." });
    }
    if (!(await mayTry(request, reply, env))) refuse("RATE_LIMITED");
    // The address lets in whoever has it.
    reply.header("cache-control", "private, no-store").header("referrer-policy", "strict-origin");
    return guestBy(request.params.token, env);
  }

  function sayNoLongerGood(request: Request, reply: FastifyReply): FastifyReply {
    if (!wantsPage(request.headers)) return refuse("NOT_FOUND", { message: NO_LONGER_GOOD });
    return sendNoLongerGood(reply);
  }

  async function enter({ guest, slug }: Invitation, request: Request, reply: FastifyReply) {
    const cookie = await startSession(guest, request, env);
    return reply.header("set-cookie", cookie).redirect(env.base.canvasUrl(slug), 303);
  }

  app.get("/auth/invite/:token", { exposeHeadRoute: false }, async (request: Request, reply) => {
    const found = await find(request, reply);
    if (found === null) return sayNoLongerGood(request, reply);
    const user = await identify(request.raw, reply, env);
    if (user === null) return enter(found, request, reply);
    if (await stays(user, found, env)) return reply.redirect(env.base.canvasUrl(found.slug), 303);
    if (wantsPage(request.headers)) return sendQuestion(reply, user, found.guest, env);
    return refuse("PERMISSION_DENIED", { message: "Sign out before you become a guest." });
  });

  app.post("/auth/invite/:token", async (request: Request, reply) => {
    requireSameOrigin(request.headers, env.base);
    const found = await find(request, reply);
    return found === null ? sayNoLongerGood(request, reply) : enter(found, request, reply);
  });
}
