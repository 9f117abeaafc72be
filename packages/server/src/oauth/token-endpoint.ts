import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { redeemAppCode } from "./apps/redeem-code.ts";
import { refreshAccess } from "./apps/refresh.ts";
import { redeemCliCode, redeemDeviceCode } from "./cli-tokens.ts";
import { CLIENT_ID } from "./clients/command-line.ts";
import { type Form, mountProgramEndpoint, refuseOAuth } from "./program-endpoint.ts";

/** Answers the form of a program with tokens. `address` is the IP address of the program. Returns the body of the response. */
type Grant = (form: Form, address: string, env: Env) => Promise<object>;

const GRANTS: Record<string, Grant> = {
  authorization_code: (form, address, env) =>
    (form.get("client_id") === CLIENT_ID ? redeemCliCode : redeemAppCode)(form, address, env),
  refresh_token: refreshAccess,
  // RFC 8628, section 3.4
  "urn:ietf:params:oauth:grant-type:device_code": redeemDeviceCode,
};

/** The values of `grant_type`. */
export const GRANT_TYPES = Object.keys(GRANTS);

/** How many times as many token requests as sign-ins a network may send, because every waiting device asks 12 times a minute. */
const POLLS_FACTOR = 12;

/** Mounts `POST /oauth/token`, at which programs get access tokens (RFC 6749, sections 4.1.3 and 6; RFC 8628). */
export const mountTokenEndpoint = (app: FastifyInstance, env: Env): void =>
  mountProgramEndpoint(
    app,
    {
      path: "/oauth/token",
      perMinute: env.config.loginPerMinute * POLLS_FACTOR,
      tooMany: "slow_down",
      async run(form, { ip }) {
        const type = form.get("grant_type") ?? "";
        const grant = Object.hasOwn(GRANTS, type) ? GRANTS[type] : undefined;
        if (grant !== undefined) return grant(form, ip, env);
        const error = type === "" ? "invalid_request" : "unsupported_grant_type";
        return refuseOAuth(error, "`grant_type` is unknown.");
      },
    },
    env,
  );
