import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { METHODS } from "../http/methods.ts";

/**
 * Mounts `/scim/v2`, by which an identity provider manages people and the teams that follow its groups (RFC 7644). Only with
 * SERVICE_SCIM_TOKEN, which is its only credential. The first request loads the rest of this folder.
 */
export function mountScim(app: FastifyInstance, env: Env): void {
  const token = env.config.scimToken;
  if (token === null) return;
  app.route({
    method: [...METHODS],
    url: "/scim/v2/*",
    async handler(request, reply) {
      const { serveScim } = await import("./serve-scim.ts");
      return serveScim(request, reply, token, env);
    },
  });
}
