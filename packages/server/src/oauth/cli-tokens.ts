import { announceAccess } from "../canvases/open-connections.ts";
import { tokenHash } from "../crypto/ids.ts";
import { sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { latestTokenEnd } from "../identity/token-ages.ts";
import { newAccessToken, tokenRoomSteps } from "../identity/tokens.ts";
import { writeAudit } from "../organisation/audit.ts";
import { tokenNameFor } from "./asked-access.ts";
import { findCode, requireAnswer, type StoredCode } from "./oauth-codes.ts";
import { type Form, refuseInvalidGrant, requireCommandLine, verifierOf } from "./program-endpoint.ts";

/** The lifetime of the tokens of the command line. */
const TOKEN_LIFETIME_MS = 90 * 24 * 60 * 60 * 1000;

/** Returns for how long a token of the command line is valid, in milliseconds: 90 days, or fewer where the settings limit tokens. */
export const tokenLifetimeMs = (env: Pick<Env, "config">): number =>
  Math.min(TOKEN_LIFETIME_MS, latestTokenEnd(0, env) ?? TOKEN_LIFETIME_MS);

/** A code whose request a person has allowed. */
type AllowedCode = StoredCode & { user_id: string; email: string };

const isAllowed = (stored: StoredCode): stored is AllowedCode =>
  stored.user_id !== null && stored.email !== null;

/** Exchanges an authorization code for an access token of the command line. Returns the response. */
export async function redeemCliCode(form: Form, address: string, env: Env): Promise<object> {
  const verifier = verifierOf(form);
  const stored = await findCode(form.get("code") ?? "", env);
  const matches =
    stored?.challenge === tokenHash(verifier) && stored.redirect_uri === (form.get("redirect_uri") ?? "");
  return matches ? redeem(stored, address, env) : refuseInvalidGrant();
}

/** Exchanges a device code that a person has allowed for an access token of the command line. Returns the response. */
export async function redeemDeviceCode(form: Form, address: string, env: Env): Promise<object> {
  requireCommandLine(form);
  const stored = await findCode(form.get("device_code") ?? "", env);
  if (stored === undefined || stored.user_code === null) return refuseInvalidGrant();
  await requireAnswer(stored, env);
  return redeem(stored, address, env);
}

async function redeem(stored: StoredCode, address: string, env: Env): Promise<object> {
  const token = isAllowed(stored) ? await createToken(stored, address, env) : null;
  if (token === null) return refuseInvalidGrant();
  return {
    access_token: token,
    token_type: "Bearer",
    expires_in: tokenLifetimeMs(env) / 1000,
    scope: stored.scope,
  };
}

/**
 * Exchanges a code for an access token, and returns the text of the token. The checks and the writes are one batch, so a code gives only
 * one token, even if several nodes get it at once. Returns null if the code was used or has expired, or if the person was deactivated, has too
 * many tokens or no longer has a role on the canvas. The second use of a code ends the token of the first (RFC 6749, section 4.1.2).
 */
async function createToken(stored: AllowedCode, address: string, env: Env): Promise<string | null> {
  const { secret_hash, user_id, email, scope, canvas_id } = stored;
  const now = env.clock();
  const fields = {
    name: tokenNameFor(stored),
    expiresAt: now + tokenLifetimeMs(env),
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
