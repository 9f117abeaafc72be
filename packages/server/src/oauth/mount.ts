import { TOKEN_SCOPES } from "@easel/protocol/management";
import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { METHODS } from "../http/methods.ts";
import { refuse } from "../http/refusal.ts";
import { acceptsTokens } from "../identity/tokens.ts";
import { mountAuthorize } from "./authorize.ts";
import { mountRegister } from "./clients/register.ts";
import { mountDevice, mountDeviceAuthorization } from "./device.ts";
import { GRANT_TYPES, mountRevoke, mountTokenEndpoint } from "./token-endpoint.ts";

/** Returns the description of the service as an authorization server (RFC 8414). */
const metadataOf = ({ base: { origin }, config }: Env) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/oauth/authorize`,
  token_endpoint: `${origin}/oauth/token`,
  device_authorization_endpoint: `${origin}/oauth/device_authorization`,
  revocation_endpoint: `${origin}/oauth/revoke`,
  ...(config.oauthRegistration ? { registration_endpoint: `${origin}/oauth/register` } : {}),
  scopes_supported: TOKEN_SCOPES,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: GRANT_TYPES,
  token_endpoint_auth_methods_supported: ["none"],
  client_id_metadata_document_supported: true,
  revocation_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${origin}/docs/cli.md`,
});

/** Mounts `GET /.well-known/oauth-authorization-server`, where programs find the endpoints. */
function mountMetadata(app: FastifyInstance, env: Env): void {
  app.get("/.well-known/oauth-authorization-server", async (_request, reply) =>
    reply.header("cache-control", "public, max-age=300").send(metadataOf(env)),
  );
}

const NO_TOKENS =
  "This service accepts no access tokens, because its sign-in proxy signs every request. The command line cannot sign in here.";

/**
 * Mounts the OAuth authorization server, which issues the access tokens of the command line. If the service accepts no tokens, every path
 * responds with 404 and the reason.
 */
export function mountOAuth(app: FastifyInstance, env: Env): void {
  if (!acceptsTokens(env.config)) {
    for (const url of ["/oauth/*", "/.well-known/oauth-authorization-server"])
      app.route({
        method: [...METHODS],
        url,
        handler: async () => refuse("NOT_FOUND", { message: NO_TOKENS }),
      });
    return;
  }
  mountMetadata(app, env);
  mountRegister(app, env);
  mountAuthorize(app, env);
  mountDeviceAuthorization(app, env);
  mountDevice(app, env);
  mountTokenEndpoint(app, env);
  mountRevoke(app, env);
}
