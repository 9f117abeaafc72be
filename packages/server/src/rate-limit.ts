import type { Env } from "./env.ts";

/** Where headers of an answer go. */
export interface HeaderSink {
  header(name: string, value: string | number): unknown;
}

const MINUTE = 60_000;

/** Takes one from a bucket of so many a minute, and says in the headers of the answer what is left. False when it is empty. */
export async function take(key: string, perMinute: number, answer: HeaderSink, env: Env): Promise<boolean> {
  if (!env.config.rateLimit) return true;
  const { allowed, limit, remaining, resetMs } = await env.bus.take(key, perMinute, MINUTE);
  answer.header("x-ratelimit-limit", limit);
  answer.header("x-ratelimit-remaining", remaining);
  answer.header("x-ratelimit-reset", Math.ceil((env.clock() + resetMs) / 1000));
  if (!allowed) answer.header("retry-after", Math.max(1, Math.ceil(resetMs / 1000)));
  return allowed;
}
