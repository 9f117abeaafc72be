import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { METHODS } from "../http/methods.ts";
import { refuse } from "../http/refusal.ts";
import { acceptsTokens } from "../identity/tokens.ts";
import { mountAuthorize } from "./authorize.ts";
import { mountDevice } from "./device.ts";
import { mountDeviceAuthorization } from "./device-authorization.ts";
import { mountRevoke } from "./revoke.ts";
import { mountMetadata } from "./server-metadata.ts";
import { mountTokenEndpoint } from "./token-endpoint.ts";

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
  mountAuthorize(app, env);
  mountDeviceAuthorization(app, env);
  mountDevice(app, env);
  mountTokenEndpoint(app, env);
  mountRevoke(app, env);
}
