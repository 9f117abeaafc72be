import type { Bucket } from "../drivers/bus/bus.ts";
import type { Env } from "../env.ts";

/** Where headers of an answer go. */
export interface HeaderSink {
  header(name: string, value: string | number): unknown;
}

const MINUTE_MS = 60_000;

/**
 * Takes one from a bucket of `perMinute` requests a minute and tells in the headers of the answer what is left. False when it is
 * empty.
 */
export async function take(
  bucket: Bucket,
  perMinute: number,
  answer: HeaderSink,
  env: Env,
): Promise<boolean> {
  if (!env.config.rateLimit) return true;
  const { allowed, limit, remaining, resetMs } = await env.bus.take(bucket, perMinute, MINUTE_MS);
  answer.header("x-ratelimit-limit", limit);
  answer.header("x-ratelimit-remaining", remaining);
  answer.header("x-ratelimit-reset", Math.ceil((env.clock() + resetMs) / 1000));
  if (!allowed) answer.header("retry-after", Math.max(1, Math.ceil(resetMs / 1000)));
  return allowed;
}

/** Puts one back into a bucket: what it was taken for does not count after all. */
export async function giveBack(bucket: Bucket, { config, bus }: Env): Promise<void> {
  if (config.rateLimit) await bus.giveBack(bucket);
}
