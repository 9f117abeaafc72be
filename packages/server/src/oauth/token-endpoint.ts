import type { FastifyInstance } from "fastify";
import { announceAccess } from "../canvases/open-connections.ts";
import { tokenHash } from "../crypto/ids.ts";
import { sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { deleteTokenByText, newAccessToken, tokenRoomSteps } from "../identity/tokens.ts";
import { writeAudit } from "../organisation/audit.ts";
import { tokenNameFor } from "./asked-access.ts";
import { findCode, requireAnswer, type StoredCode } from "./oauth-codes.ts";
import { mountProgramEndpoint, refuseOAuth } from "./program-endpoint.ts";

/** The lifetime of the tokens of the command line. */
export const TOKEN_LIFETIME_MS = 90 * 24 * 60 * 60 * 1000;

/** A code whose request a person has allowed. */
type AllowedCode = StoredCode & { user_id: string; email: string };

/**
 * Exchanges a code for an access token, and returns the text of the token. The checks and the writes are one batch, so a code gives only
 * one token, even if several nodes get it at once. Returns null if the code was used or has expired, or if the person was deactivated, has too
 * many tokens or no longer has a role on the canvas. The second use of a code ends the token of the first (RFC 6749, section 4.1.2).
 */
async function redeem(stored: AllowedCode, address: string, env: Env): Promise<string | null> {
  const { secret_hash, user_id, email, scope, canvas_id } = stored;
  const now = env.clock();
  const fields = {
    name: tokenNameFor(stored),
    expiresAt: now + TOKEN_LIFETIME_MS,
    scope,
    canvasId: canvas_id,
  };
  const { id, token, insert } = newAccessToken({ id: user_id, email }, fields, { clock: () => now });
  const steps = [
    ...tokenRoomSteps(user_id, { clock: () => now }),
    sql`update oauth_codes set token_id = ${id}
      where secret_hash = ${secret_hash} and token_id is null and denied = 0 and expires_at > ${now}
        and exists (select 1 from users where id = ${user_id} and deactivated_at is null)`,
    insert,
  ];
  const actor = { id: user_id, email };
  if ((await env.db.withReserve.batch(steps)) !== "done") {
    await endTokenOf(stored, address, env);
    return null;
  }
  const entry = { act: "token.create", canvas: canvas_id, target: id, details: fields };
  await writeAudit({ actor, address, ...entry }, env);
  return token;
}

/** Ends the token for which a code was exchanged, if there is one. */
async function endTokenOf({ secret_hash, user_id, email, host }: AllowedCode, address: string, env: Env) {
  const ended = await env.db.withReserve.returning<{ id: string }>`
    delete from tokens where id in (select token_id from oauth_codes where secret_hash = ${secret_hash}) returning id`;
  for (const { id } of ended) {
    await announceAccess({ people: [user_id] }, env);
    const entry = {
      act: "token.delete",
      canvas: null,
      target: id,
      details: { host, reason: "code used twice" },
    };
    await writeAudit({ actor: { id: user_id, email }, address, ...entry }, env);
  }
}

/**
 * Mounts `POST /oauth/revoke`, which ends an access token (RFC 7009). The token is the only credential. The response is 200 for an unknown
 * token, too, because such a token has no effect either.
 */
export const mountRevoke = (app: FastifyInstance, env: Env): void =>
  mountProgramEndpoint(
    app,
    {
      path: "/oauth/revoke",
      perMinute: env.config.loginPerMinute,
      tooMany: "temporarily_unavailable",
      async run(form, request) {
        const token = form.get("token");
        if (token === undefined) return refuseOAuth("invalid_request", "`token` is missing.");
        const ended = await deleteTokenByText(token, env);
        if (ended !== null) {
          await announceAccess({ people: [ended.user.id] }, env);
          const entry = { act: "token.delete", canvas: null, target: ended.id, details: null };
          await writeAudit({ actor: ended.user, address: request.ip, ...entry }, env);
        }
        return {};
      },
    },
    env,
  );

/** The grant type of a device code (RFC 8628, section 3.4). */
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

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
