import type { FastifyInstance } from "fastify";
import { tokenHash } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { findCode, type StoredCode } from "./oauth-codes.ts";
import { refuseOAuth } from "./oauth-error.ts";
import { requireAnswer } from "./poll.ts";
import { mountProgramEndpoint } from "./program-endpoint.ts";
import { type AllowedCode, redeem, TOKEN_LIFETIME_MS } from "./redeem.ts";

/** The grant type of a device code (RFC 8628, section 3.4). */
export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** How many times as many token requests as sign-ins a network may send, because every waiting device asks 12 times a minute. */
const POLLS_FACTOR = 12;
/** A PKCE verifier (RFC 7636, section 4.1). */
const VERIFIER = /^[\w.~-]{43,128}$/;

type Form = ReadonlyMap<string, string>;

const isAllowed = (stored: StoredCode): stored is AllowedCode =>
  stored.user_id !== null && stored.email !== null;

/** Finds an authorization code. Throws `invalid_grant` unless the redirect URI and the PKCE verifier belong to the code. */
async function authorizationCodeOf(form: Form, env: Env): Promise<StoredCode> {
  const [code = "", verifier = ""] = [form.get("code"), form.get("code_verifier")];
  if (!VERIFIER.test(verifier)) refuseOAuth("invalid_request", "`code_verifier` is missing or malformed.");
  const stored = await findCode(code, env);
  const matches =
    stored?.challenge === tokenHash(verifier) && stored.redirect_uri === (form.get("redirect_uri") ?? "");
  return matches ? stored : refuseInvalidGrant();
}

/** Finds a device code that a person has allowed. */
async function deviceCodeOf(form: Form, env: Env): Promise<StoredCode> {
  const stored = await findCode(form.get("device_code") ?? "", env);
  if (stored === undefined || stored.user_code === null) return refuseInvalidGrant();
  await requireAnswer(stored, env);
  return stored;
}

const refuseInvalidGrant = (): never =>
  refuseOAuth("invalid_grant", "The code is unknown, was used, has expired or belongs to another request.");

const GRANTS: Record<string, (form: Form, env: Env) => Promise<StoredCode>> = {
  authorization_code: authorizationCodeOf,
  [DEVICE_GRANT]: deviceCodeOf,
};

/** The values of `grant_type`. */
export const GRANT_TYPES = Object.keys(GRANTS);

/** Mounts `POST /oauth/token`, at which a program exchanges a code for an access token (RFC 6749, section 4.1.3; RFC 8628). */
export const mountTokenEndpoint = (app: FastifyInstance, env: Env): void =>
  mountProgramEndpoint(
    app,
    {
      path: "/oauth/token",
      perMinute: env.config.loginPerMinute * POLLS_FACTOR,
      tooMany: "slow_down",
      async run(form, request) {
        const type = form.get("grant_type") ?? "";
        const find = Object.hasOwn(GRANTS, type) ? GRANTS[type] : undefined;
        if (find === undefined)
          return refuseOAuth(
            type === "" ? "invalid_request" : "unsupported_grant_type",
            "`grant_type` is unknown.",
          );
        const stored = await find(form, env);
        const token = isAllowed(stored) ? await redeem(stored, request.ip, env) : null;
        if (token === null) return refuseInvalidGrant();
        return {
          access_token: token,
          token_type: "Bearer",
          expires_in: TOKEN_LIFETIME_MS / 1000,
          scope: stored.scope,
        };
      },
    },
    env,
  );
