import { TOKEN_SCOPES } from "@easel/protocol/management";
import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { GRANT_TYPES } from "./token-endpoint.ts";

/** Returns the description of the service as an authorization server (RFC 8414). */
export const metadataOf = ({ base: { origin } }: Env) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/oauth/authorize`,
  token_endpoint: `${origin}/oauth/token`,
  device_authorization_endpoint: `${origin}/oauth/device_authorization`,
  revocation_endpoint: `${origin}/oauth/revoke`,
  scopes_supported: TOKEN_SCOPES,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: GRANT_TYPES,
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${origin}/docs/cli.md`,
});

/** Mounts `GET /.well-known/oauth-authorization-server`, where programs find the endpoints. */
export function mountMetadata(app: FastifyInstance, env: Env): void {
  app.get("/.well-known/oauth-authorization-server", async (_request, reply) =>
    reply.header("cache-control", "public, max-age=300").send(metadataOf(env)),
  );
}
