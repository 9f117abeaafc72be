import type { FastifyInstance } from "fastify";
import { announceAccess } from "../canvases/access-events.ts";
import type { Env } from "../env.ts";
import { deleteTokenByText } from "../identity/tokens.ts";
import { writeAudit } from "../organisation/audit.ts";
import { countAttempt } from "../sign-in/attempts.ts";
import { requireClient } from "./command-line-client.ts";
import { refuseOAuth } from "./oauth-error.ts";
import { readForm } from "./oauth-form.ts";

/**
 * Mounts `POST /oauth/revoke`, which ends an access token (RFC 7009). The token is the only credential. The response is 200 for an unknown
 * token, too, because such a token has no effect either.
 */
export function mountRevoke(app: FastifyInstance, env: Env): void {
  app.post("/oauth/revoke", async (request, reply) => {
    if (!(await countAttempt(request, reply, env)))
      refuseOAuth("temporarily_unavailable", "Too many attempts; wait a minute.", 429);
    const form = await readForm(request);
    requireClient(form);
    const token = form.get("token");
    if (token === undefined) return refuseOAuth("invalid_request", "`token` is missing.");
    const ended = await deleteTokenByText(token, env);
    if (ended !== null) {
      await announceAccess({ people: [ended.user.id] }, env);
      const entry = { act: "token.delete", canvas: null, target: ended.id, details: null };
      await writeAudit({ actor: ended.user, address: request.ip, ...entry }, env);
    }
    return reply.header("cache-control", "no-store").send({});
  });
}
