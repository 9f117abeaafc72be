import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { User } from "../access/principal.ts";
import { roleOf } from "../access/roles.ts";
import { findForAccess } from "../canvases/access-lookup.ts";
import type { Env } from "../env.ts";
import { destinationOf, requireSameOrigin } from "../http/cross-site.ts";
import { address, html, sendPage } from "../http/html.ts";
import { refuse } from "../http/refusal.ts";
import { wantsPage } from "../http/request-headers.ts";
import { findGuestByToken } from "../identity/guests.ts";
import { identify } from "../identity/identify.ts";
import { startSession } from "../identity/session.ts";
import { countAttempt } from "./challenge.ts";

/** The message for an unknown or revoked invitation. */
const INVALID_INVITATION = "This invitation is no longer valid. Ask the person who sent it for a new one.";

/** Sends the page for an unknown or revoked invitation. */
const sendInvalidInvitation = (reply: FastifyReply): FastifyReply =>
  sendPage(reply.code(404), {
    title: "Invitation no longer valid",
    narrow: true,
    body: html`<h1>No longer valid</h1><p>${INVALID_INVITATION}</p>
      <footer class="links"><a href="/">Your canvases</a></footer>`,
  });

/** Sends the page that asks a signed-in user to confirm becoming a guest, which ends their session. */
const sendConfirmation = (reply: FastifyReply, user: User, guest: User, { base }: Env): FastifyReply =>
  sendPage(reply, {
    title: "Go on as a guest?",
    narrow: true,
    formsLeadTo: base.canvasHosts,
    body: html`<h1>Go on as a guest?</h1>
      <p>This invitation is for <strong>${address(guest.email)}</strong>. You are here as <strong>${address(user.email)}</strong>, who may
        not open that canvas.</p>
      <form method="post"><button class="button">Sign out and go on</button></form>
      <footer class="links"><a href="/">Stay signed in</a></footer>`,
  });

/** The guest of an invitation link, and the slug of the canvas. */
type Invitation = NonNullable<Awaited<ReturnType<typeof findGuestByToken>>>;

/**
 * Whether a user who opens an invitation link keeps the current session. A guest keeps it only if the invitation is the guest's own. Any
 * other user keeps it in proxy mode, or if the user may open the canvas without the invitation.
 */
async function keepsSession(user: User, { guest, slug }: Invitation, env: Env): Promise<boolean> {
  if (user.kind === "guest") return user.id === guest.id;
  // In proxy mode the session of a guest would have no effect, because the proxy asserts the signed-in user with each request.
  if (env.config.authMode === "proxy") return true;
  const canvas = await findForAccess(slug, user.email, env);
  return canvas !== null && roleOf(user, canvas) !== null;
}

/**
 * Mounts `/auth/invite/{token}`: starts a guest session for one canvas and redirects to the canvas (docs/sharing.md#guests). A signed-in
 * user who may open the canvas anyway keeps the current session. Others must confirm first, because any page can navigate a browser to an
 * invitation.
 */
export function mountInvitation(app: FastifyInstance, env: Env): void {
  type Request = FastifyRequest<{ Params: { token: string } }>;

  async function find(request: Request, reply: FastifyReply): Promise<Invitation | null> {
    if (!["document", "unknown"].includes(destinationOf(request.headers))) {
      refuse("PERMISSION_DENIED", { message: "An invitation is a page of its own." });
    }
    if (!(await countAttempt(request, reply, env))) refuse("RATE_LIMITED");
    // The URL contains the token, which is a credential.
    reply.header("cache-control", "private, no-store").header("referrer-policy", "strict-origin");
    return findGuestByToken(request.params.token, env);
  }

  function rejectInvitation(request: Request, reply: FastifyReply): FastifyReply {
    if (!wantsPage(request.headers)) return refuse("NOT_FOUND", { message: INVALID_INVITATION });
    return sendInvalidInvitation(reply);
  }

  async function startGuestSession({ guest, slug }: Invitation, request: Request, reply: FastifyReply) {
    const cookie = await startSession(guest, request, env);
    return reply.header("set-cookie", cookie).redirect(env.base.canvasUrl(slug), 303);
  }

  app.get("/auth/invite/:token", { exposeHeadRoute: false }, async (request: Request, reply) => {
    const found = await find(request, reply);
    if (found === null) return rejectInvitation(request, reply);
    const { user } = await identify(request.raw, reply, env);
    if (user.kind === "visitor") return startGuestSession(found, request, reply);
    if (await keepsSession(user, found, env)) return reply.redirect(env.base.canvasUrl(found.slug), 303);
    if (wantsPage(request.headers)) return sendConfirmation(reply, user, found.guest, env);
    return refuse("PERMISSION_DENIED", { message: "Sign out before you become a guest." });
  });

  app.post("/auth/invite/:token", async (request: Request, reply) => {
    requireSameOrigin(request.headers, env.base);
    const found = await find(request, reply);
    return found === null ? rejectInvitation(request, reply) : startGuestSession(found, request, reply);
  });
}
