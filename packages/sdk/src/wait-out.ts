import type { EaselError } from "./errors.ts";
import { pause } from "./pause.ts";

/** The longest `Retry-After` that a read waits out, in seconds. The rate limits of the service count in windows of a minute. */
const MAX_SECONDS = 60;
/** The longest that a read waits for `Retry-After` and for the reads before it. */
const MAX_WAIT_MS = 120_000;
/** The time between two reads that have waited: at this pace, they stay inside the limit of 120 requests a minute. */
const PACE_MS = 500;

/**
 * Creates a function that takes the error of a read. It resolves when the read may be sent again. It rejects with the error if the service
 * has not refused the read for a while (429 or 503 with `Retry-After`), or if the wait is too long. Reads that wait at the same time go on
 * one after the other.
 */
export function createWaitOut(): (error: EaselError) => Promise<void> {
  let last = Number.NEGATIVE_INFINITY;

  return async (error) => {
    const { status, retryAfter = Number.POSITIVE_INFINITY } = error;
    if ((status !== 429 && status !== 503) || retryAfter > MAX_SECONDS) throw error;
    const now = performance.now();
    const wait = Math.max(retryAfter * 1_000, last + PACE_MS - now);
    if (wait > MAX_WAIT_MS) throw error;
    last = now + wait;
    await pause(wait);
  };
}
