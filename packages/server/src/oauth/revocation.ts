import type { FastifyInstance } from "fastify";
import { announceAccess } from "../canvases/open-connections.ts";
import type { Env } from "../env.ts";
import { deleteTokenByText } from "../identity/tokens.ts";
import { writeAudit } from "../organisation/audit.ts";
import { endAppOfRefreshToken, isRefreshToken } from "./apps/refresh-tokens.ts";
import { mountProgramEndpoint, refuseOAuth } from "./program-endpoint.ts";

/** Ends an access token, if there is one with this text. */
async function endAccessToken(token: string, address: string, env: Env): Promise<void> {
  const ended = await deleteTokenByText(token, env);
  if (ended === null) return;
  await announceAccess({ people: [ended.user.id] }, env);
  const entry = { act: "token.delete", canvas: null, target: ended.id, details: null };
  await writeAudit({ actor: ended.user, address, ...entry }, env);
}

/**
 * Mounts `POST /oauth/revoke`, which ends an access token, or a connected tool by its refresh token (RFC 7009). The token is the only
 * credential. The response is 200 for an unknown token, too, because such a token has no effect either.
 */
export const mountRevoke = (app: FastifyInstance, env: Env): void =>
  mountProgramEndpoint(
    app,
    {
      path: "/oauth/revoke",
      perMinute: env.config.loginPerMinute,
      tooMany: "temporarily_unavailable",
      async run(form, { ip }) {
        const token = form.get("token") ?? refuseOAuth("invalid_request", "`token` is missing.");
        await (isRefreshToken(token) ? endAppOfRefreshToken : endAccessToken)(token, ip, env);
        return {};
      },
    },
    env,
  );
