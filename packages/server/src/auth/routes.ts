import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { mountDevSignIn } from "./dev.ts";
import { mountHandOver } from "./handover.ts";
import { mountInvitation } from "./invitation.ts";
import { mountOidc } from "./oidc.ts";
import { requireOwnPage } from "./own-page.ts";
import { endSession } from "./session.ts";

/** Signing in and out (management API, section 2). Each mode mounts what it needs; OIDC brings its routes with it. */
export function mountSignIn(app: FastifyInstance, env: Env): void {
  if (env.config.authMode === "dev") mountDevSignIn(app, env);
  if (env.config.authMode === "oidc") mountOidc(app, env);

  if (env.base.urlMode === "subdomain") mountHandOver(app, env);
  mountInvitation(app, env);

  app.post("/auth/logout", async (request, reply) => {
    requireOwnPage(request.headers, env.base);
    const cleared = await endSession(request.raw, env);
    return reply.code(204).header("set-cookie", cleared).send();
  });
}
