import type { FastifyInstance } from "fastify";
import { announceAccess } from "../canvases/open-connections.ts";
import type { Env } from "../env.ts";
import { clientOfToken, deleteTokenByText } from "../identity/tokens.ts";
import { writeAudit } from "../organisation/audit.ts";
import { endAppOfRefreshToken, isRefreshToken } from "./apps/refresh-tokens.ts";
import { mountProgramEndpoint, refuseInvalidGrant, refuseOAuth } from "./program-endpoint.ts";

/**
 * Ends an access token, if there is one with this text. Throws `invalid_grant` if another client has got it. A token that a person has created is no
 * client's, so each holder may end it.
 */
async function endAccessToken(token: string, clientId: string, address: string, env: Env): Promise<void> {
  const owner = await clientOfToken(token, env);
  if (owner !== null && owner !== clientId) refuseInvalidGrant();
  const ended = await deleteTokenByText(token, env);
  if (ended === null) return;
  await announceAccess({ people: [ended.user.id] }, env);
  const entry = { act: "token.delete", canvas: null, target: ended.id, details: null };
  await writeAudit({ actor: ended.user, address, ...entry }, env);
}

/**
 * Mounts `POST /oauth/revoke`, which ends an access token, or a connected tool by its refresh token (RFC 7009). The token is the only
 * credential, but a client ends only its own (section 2.1). The response is 200 for an unknown token, too, because such a token has no effect either.
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
        const clientId = form.get("client_id") ?? "";
        await (isRefreshToken(token) ? endAppOfRefreshToken : endAccessToken)(token, clientId, ip, env);
        return {};
      },
    },
    env,
  );
