import { TOKEN_SCOPES } from "@easel/protocol/management";
import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { RESOURCE_PATHS, resourceOf } from "./resource.ts";
import { GRANT_TYPES } from "./token-endpoint.ts";

const SERVER_PATH = "/.well-known/oauth-authorization-server";

/** The paths of the descriptions. */
export const METADATA_PATHS = [SERVER_PATH, ...RESOURCE_PATHS];

/** Returns the description of the service as an authorization server (RFC 8414). */
const serverMetadata = ({ base: { origin }, config }: Env) => ({
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
  protected_resources: [resourceOf({ origin })],
  service_documentation: `${origin}/docs/cli.md`,
});

/**
 * Returns the description of the tools as a protected resource (RFC 9728). The scope `full` is left out: a program asks for it when a tool
 * needs it.
 */
const resourceMetadata = ({ base }: Env) => ({
  resource: resourceOf(base),
  authorization_servers: [base.origin],
  scopes_supported: ["read", "deploy"],
  bearer_methods_supported: ["header"],
  resource_name: "Easel",
});

/**
 * Mounts the descriptions by which programs find where to sign in. Pages of every origin may read them, because there are programs that run in
 * a page; they contain nothing of anyone.
 */
export function mountMetadata(app: FastifyInstance, env: Env): void {
  const readable = { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" };
  for (const path of METADATA_PATHS) {
    const described = path === SERVER_PATH ? serverMetadata : resourceMetadata;
    app.get(path, async (_request, reply) =>
      reply.headers(readable).header("cache-control", "public, max-age=300").send(described(env)),
    );
    // Programs send the revision of their protocol as a header, about which browsers ask before.
    app.options(path, async (_request, reply) =>
      reply
        .headers(readable)
        .header("access-control-allow-methods", "GET")
        .header("access-control-allow-headers", "*")
        .header("access-control-max-age", "86400")
        .code(204)
        .send(),
    );
  }
}
