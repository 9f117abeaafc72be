import type { Env } from "../env.ts";
import { recordPoll, type StoredCode } from "./oauth-codes.ts";
import { refuseOAuth } from "./oauth-error.ts";

/** The interval at which a device may ask for its token, in milliseconds. */
export const POLL_INTERVAL_MS = 5_000;
/** How much sooner than the interval a request may arrive, in milliseconds, because network delays vary. */
const JITTER_MS = 1_000;

/** Throws the error for a device code whose request waits for an answer, was denied or has expired (RFC 8628, section 3.5). */
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
