import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { mountDevSignIn } from "./dev.ts";
import { requireOwnPage } from "./own-page.ts";
import { endSession, sessionToken } from "./session.ts";

/** Signing in and out (management API, section 2). Each mode mounts what it needs; OIDC brings its routes with it. */
export function mountSignIn(app: FastifyInstance, env: Env): void {
  if (env.config.authMode === "dev") mountDevSignIn(app, env);

  app.post("/auth/logout", async (request, reply) => {
    requireOwnPage(request.headers, env.base);
    const cleared = await endSession(sessionToken(request.headers.cookie, env.base.secure), env);
    return reply.code(204).header("set-cookie", cleared).send();
  });
}
