import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { requireSameOrigin } from "../http/cross-site.ts";
import { html, sendPage } from "../http/html.ts";
import { wantsPage } from "../http/request-headers.ts";
import { endSession } from "../identity/session.ts";
import { mountDevSignIn } from "./dev.ts";
import { mountHandOver } from "./hand-over.ts";
import { mountInvitation } from "./invitation.ts";
import { mountOidc } from "./oidc.ts";
import { signOutAtProvider } from "./oidc-logout.ts";

/** Mounts the routes for signing in and out in the configured sign-in mode (docs/identity.md). */
export function mountSignIn(app: FastifyInstance, env: Env): void {
  if (env.config.authMode === "dev") mountDevSignIn(app, env);
  const provider = env.config.authMode === "oidc" ? mountOidc(app, env) : null;

  if (env.base.urlMode === "subdomain") mountHandOver(app, env);
  mountInvitation(app, env);
  mountDone(app);

  app.post("/auth/logout", async (request, reply) => {
    requireSameOrigin(request.headers, env.base);
    // Makes the browser discard the pages that it keeps for its back button.
    reply.header("set-cookie", await endSession(request, env)).header("clear-site-data", '"cache"');
    if (!wantsPage(request.headers)) return reply.code(204).send();
    const onward = provider === null ? null : await signOutAtProvider(provider, request, reply, env);
    // A redirect would lead to the login route, where a provider may sign the user in again without asking.
    return sendPage(reply, {
      title: "Signed out",
      narrow: true,
      body: html`<h1>You are signed out</h1><p>Canvases that are still open in other tabs are cut off, too.</p>
        ${onward === null ? null : html`<p>Now <a href="${onward.href}">sign out at the sign-in service</a>, too, if it does not go on by itself.</p>`}
        ${env.config.authMode === "proxy" ? null : html`<a class="button" href="/auth/login?anew=1">Sign in</a>`}`,
    });
  });
}

/**
 * Tells the pages of the dashboard that a sign-in has ended, and closes the window that the dashboard has opened for it. A browser may drop
 * the message of a window that closes at once.
 */
const TELL_AND_CLOSE = 'new BroadcastChannel("easel-session").postMessage("signed-in");setTimeout(close,100)';

/** Mounts `/auth/done`, the last page of a sign-in in a small window of the dashboard. It is the same for everyone. */
function mountDone(app: FastifyInstance): void {
  app.get("/auth/done", (_request, reply) =>
    sendPage(reply, {
      title: "Signed in",
      narrow: true,
      script: TELL_AND_CLOSE,
      body: html`<h1>You are signed in</h1><p>You can close this window.</p><a class="button" href="/">Your canvases</a>`,
    }),
  );
}
