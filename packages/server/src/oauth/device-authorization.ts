import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { countAttempt } from "../sign-in/attempts.ts";
import { readAskedAccess } from "./asked-access.ts";
import { requireClient } from "./command-line-client.ts";
import { addDevice, DEVICE_LIFETIME_MS } from "./oauth-codes.ts";
import { refuseOAuth } from "./oauth-error.ts";
import { readForm } from "./oauth-form.ts";
import { POLL_INTERVAL_MS } from "./poll.ts";
import { formatUserCode } from "./user-code.ts";

/**
 * Mounts `POST /oauth/device_authorization`, by which a program without a browser gets a code for the person to enter (RFC 8628, section
 * 3.1). The response has no `verification_uri_complete`: the person must copy the code from the terminal. So a link is not enough
 * for phishing.
 */
export function mountDeviceAuthorization(app: FastifyInstance, env: Env): void {
  app.post("/oauth/device_authorization", async (request, reply) => {
    if (!(await countAttempt(request, reply, env)))
      refuseOAuth("temporarily_unavailable", "Too many attempts; wait a minute.", 429);
    const form = await readForm(request);
    requireClient(form);
    const codes = await addDevice(
      readAskedAccess((name) => form.get(name)),
      request.ip,
      env,
    );
    if (codes === null)
      return refuseOAuth("temporarily_unavailable", "Too many devices wait for an answer.", 503);
    return reply.header("cache-control", "no-store").send({
      device_code: codes.deviceCode,
      user_code: formatUserCode(codes.userCode),
      verification_uri: `${env.base.origin}/oauth/device`,
      expires_in: DEVICE_LIFETIME_MS / 1000,
      interval: POLL_INTERVAL_MS / 1000,
    });
  });
}
