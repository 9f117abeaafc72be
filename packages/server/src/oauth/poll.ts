import type { Env } from "../env.ts";
import { recordPoll, type StoredCode } from "./oauth-codes.ts";
import { refuseOAuth } from "./oauth-error.ts";

/** The interval at which a device may ask for its token. */
export const POLL_INTERVAL_MS = 5_000;
/** The tolerated difference between the intervals in which requests are sent and arrive. */
const JITTER_MS = 1_000;

/** Throws the error for a device code that gives no token, or not yet (RFC 8628, section 3.5). Returns if the person has allowed it. */
export async function requireAnswer(stored: StoredCode, env: Env): Promise<void> {
  const { expires_at, denied, user_id, polled_at } = stored;
  if (denied === 1) refuseOAuth("access_denied", "The person has not allowed it.");
  if (expires_at <= env.clock()) refuseOAuth("expired_token", "The code has expired.");
  if (user_id !== null) return;
  await recordPoll(stored, env);
  if (polled_at !== null && env.clock() - polled_at < POLL_INTERVAL_MS - JITTER_MS)
    refuseOAuth("slow_down", "Ask less often.");
  refuseOAuth("authorization_pending", "The person has not answered yet.");
}
