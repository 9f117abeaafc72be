import type { FastifyInstance } from "fastify";
import { announceAccess } from "../canvases/access-events.ts";
import type { Env } from "../env.ts";
import { deleteTokenByText } from "../identity/tokens.ts";
import { writeAudit } from "../organisation/audit.ts";
import { refuseOAuth } from "./oauth-error.ts";
import { mountProgramEndpoint } from "./program-endpoint.ts";

/**
 * Mounts `POST /oauth/revoke`, which ends an access token (RFC 7009). The token is the only credential. The response is 200 for an unknown
 * token, too, because such a token has no effect either.
 */
export const mountRevoke = (app: FastifyInstance, env: Env): void =>
  mountProgramEndpoint(
    app,
    {
      path: "/oauth/revoke",
      perMinute: env.config.loginPerMinute,
      tooMany: "temporarily_unavailable",
      async run(form, request) {
        const token = form.get("token");
        if (token === undefined) return refuseOAuth("invalid_request", "`token` is missing.");
        const ended = await deleteTokenByText(token, env);
        if (ended !== null) {
          await announceAccess({ people: [ended.user.id] }, env);
          const entry = { act: "token.delete", canvas: null, target: ended.id, details: null };
          await writeAudit({ actor: ended.user, address: request.ip, ...entry }, env);
        }
        return {};
      },
    },
    env,
  );
