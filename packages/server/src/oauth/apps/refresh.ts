import { optional, sql, step } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { type Form, refuseInvalidGrant, refuseOAuth } from "../program-endpoint.ts";
import { requireResource } from "../resource.ts";
import { newAccess } from "./access-answer.ts";
import { endApp } from "./end-app.ts";
import { findRefreshToken } from "./refresh-tokens.ts";

/** How long after its use a refresh token can be used again, if what was given for it was never used: the response may have been lost. */
const LOST_ANSWER_MS = 60_000;

/**
 * Exchanges a refresh token for new tokens (RFC 6749, section 6). Returns the response. Each refresh token is used once: a second use shows
 * that somebody else has it, and ends the connected tool (RFC 9700, section 4.14.2). If only the response was lost, the successor is replaced
 * instead. The checks and the writes are one batch, which locks the person, so at most one refresh token of a connected tool can be used next,
 * even if several nodes get the same one at once.
 *
 * A scope in the request is ignored, which RFC 6749 (section 3.3) allows: the response names the scope that was granted.
 */
export async function refreshAccess(form: Form, address: string, env: Env): Promise<object> {
  const given = form.get("refresh_token") ?? refuseOAuth("invalid_request", "`refresh_token` is missing.");
  requireResource(form.get("resource")?.split(" ") ?? [], env.base);
  const now = env.clock();
  const stored = await findRefreshToken(given, env);
  if (stored === undefined || stored.client_id !== form.get("client_id") || stored.expires_at <= now)
    return refuseInvalidGrant();
  const { secret_hash: hash, app_id: id, token_id, scope, ends_at: endsAt, user_id } = stored;
  const { inserts, answer } = newAccess({ id, scope, endsAt }, hash, now);
  const outcome = await env.db.withReserve.batch([
    step("inactive", sql`update users set name = name where id = ${user_id} and deactivated_at is null`),
    step(
      "spent",
      sql`update app_refresh_tokens set spent_at = coalesce(spent_at, ${now})
        where secret_hash = ${hash} and (spent_at is null or (spent_at > ${now - LOST_ANSWER_MS} and exists (
          select 1 from app_refresh_tokens as successor join tokens on tokens.id = successor.token_id
          where successor.predecessor = ${hash} and successor.spent_at is null and tokens.used_at is null)))`,
    ),
    // A successor whose response was lost. Any later use of it ends the tool.
    optional`update app_refresh_tokens set spent_at = ${now} where app_id = ${id} and spent_at is null`,
    // The access token of before is valid until its end, for requests that are under way.
    optional`delete from tokens where app_id = ${id} and id <> ${token_id}`,
    ...inserts,
  ]);
  if (outcome === "done") return answer;
  if (outcome === "spent") await endApp(stored, "refresh token used twice", address, env);
  return refuseInvalidGrant();
}
