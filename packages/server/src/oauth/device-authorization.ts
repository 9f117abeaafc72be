import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { readAskedAccess } from "./asked-access.ts";
import { addDevice, DEVICE_LIFETIME_MS } from "./oauth-codes.ts";
import { refuseOAuth } from "./oauth-error.ts";
import { POLL_INTERVAL_MS } from "./poll.ts";
import { mountProgramEndpoint } from "./program-endpoint.ts";
import { formatUserCode } from "./user-code.ts";

/**
 * Mounts `POST /oauth/device_authorization`, by which a program without a browser gets a code for the person to enter (RFC 8628, section
 * 3.1). The response has no `verification_uri_complete`: the person must copy the code from the terminal. So a link is not enough
 * for phishing.
 */
export const mountDeviceAuthorization = (app: FastifyInstance, env: Env): void =>
  mountProgramEndpoint(
    app,
    {
      path: "/oauth/device_authorization",
      perMinute: env.config.loginPerMinute,
      tooMany: "temporarily_unavailable",
      async run(form, { ip }) {
        const codes = await addDevice(
          readAskedAccess((name) => form.get(name)),
          ip,
          env,
        );
        if (codes === null)
          return refuseOAuth(
            "temporarily_unavailable",
            "Too many devices of this network wait for an answer.",
            503,
          );
        return {
          device_code: codes.deviceCode,
          user_code: formatUserCode(codes.userCode),
          verification_uri: `${env.base.origin}/oauth/device`,
          expires_in: DEVICE_LIFETIME_MS / 1000,
          interval: POLL_INTERVAL_MS / 1000,
        };
      },
    },
    env,
  );
