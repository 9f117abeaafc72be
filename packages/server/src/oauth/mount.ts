import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { METHODS } from "../http/methods.ts";
import { refuse } from "../http/refusal.ts";
import { acceptsTokens } from "../identity/tokens.ts";
import { mountAuthorize } from "./authorize.ts";
import { mountRegister } from "./clients/register.ts";
import { mountDevice, mountDeviceAuthorization } from "./device.ts";
import { METADATA_PATHS, mountMetadata } from "./metadata.ts";
import { mountRevoke } from "./revocation.ts";
import { mountTokenEndpoint } from "./token-endpoint.ts";

const NO_TOKENS =
  "This service accepts no access tokens, because its sign-in proxy signs every request. Programs cannot sign in here.";

/**
 * Mounts the OAuth authorization server, which issues the access tokens of the command line and of connected tools. If the service accepts no
 * tokens, every path responds with 404 and the reason.
 */
export function mountOAuth(app: FastifyInstance, env: Env): void {
  if (!acceptsTokens(env.config)) {
    for (const url of ["/oauth/*", ...METADATA_PATHS])
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
