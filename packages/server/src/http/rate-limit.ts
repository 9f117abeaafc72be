import type { Bucket } from "../drivers/bus/bus.ts";
import type { Env } from "../env.ts";

/** The method of a response that sets a header, as Fastify's replies have it. */
export interface HeaderSink {
  header(name: string, value: string | number): unknown;
}

/** For a bucket of which no response tells. */
export const NO_HEADERS: HeaderSink = { header() {} };

const MINUTE_MS = 60_000;

/**
 * After this many refusals in the window of a bucket, each further one is sent after a random delay of 0.5 to 1.5 seconds. A client that
 * ignores them then gets about one response per second on each of its connections, not all in the same turn of the event loop.
 */
const PROMPT_REFUSALS = 100;
const MIN_DELAY_MS = 500;

const delay = () => new Promise((resolve) => setTimeout(resolve, MIN_DELAY_MS * (1 + 2 * Math.random())));

/**
 * Takes a token from a rate-limit bucket of `perMinute` tokens and sets the rate limit headers of the response. Returns false if the bucket
 * is empty, and does so about a second later if the caller has been refused many times.
 */
export async function take(
  bucket: Bucket,
  perMinute: number,
  answer: HeaderSink,
  env: Env,
): Promise<boolean> {
  if (!env.config.rateLimit) return true;
  const { allowed, limit, remaining, refused, resetMs } = await env.bus.take(bucket, perMinute, MINUTE_MS);
  answer.header("x-ratelimit-limit", limit);
  answer.header("x-ratelimit-remaining", remaining);
  answer.header("x-ratelimit-reset", Math.ceil((env.clock() + resetMs) / 1000));
  if (allowed) return true;
  env.metrics.rateLimited.add(1, bucket.rateClass);
  answer.header("retry-after", Math.max(1, Math.ceil(resetMs / 1000)));
  if (refused > PROMPT_REFUSALS) await delay();
  return false;
}

/** Puts a token back into a rate-limit bucket. */
export async function giveBack(bucket: Bucket, { config, bus }: Env): Promise<void> {
  if (config.rateLimit) await bus.giveBack(bucket);
}
