import type { EaselError } from "./errors.ts";
import { pause } from "./pause.ts";

/** The maximum `Retry-After` in seconds after which a read is sent again. The rate limits of the service count in windows of a minute. */
const MAX_SECONDS = 60;
/** The maximum time that a read waits, including the time for the reads that were refused before it. */
const MAX_WAIT_MS = 120_000;
/** The time between two reads that are sent again. At this pace they stay inside the limit of 120 requests a minute. */
const PACE_MS = 500;

/**
 * Creates a function that takes the error of a read and resolves when the read may be sent again. It rejects with that error if the status
 * is not 429 or 503, if there is no `Retry-After`, or if the wait would be too long. Reads that wait at the same time are sent again one
 * after the other.
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
