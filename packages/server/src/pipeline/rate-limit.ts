import { isSlug } from "../canvases/slug.ts";
import type { Env } from "../env.ts";
import { refuse } from "../kit/refusal.ts";
import type { Viewer, Visit } from "./visit.ts";

const MINUTE = 60_000;

/** Takes one from a bucket of so many a minute, and says in the headers of the answer what is left. False when it is empty. */
export async function take(
  key: string,
  perMinute: number,
  answer: Visit["answer"],
  env: Env,
): Promise<boolean> {
  if (!env.config.rateLimit) return true;
  const { allowed, limit, remaining, resetMs } = await env.bus.take(key, perMinute, MINUTE);
  answer.header("x-ratelimit-limit", limit);
  answer.header("x-ratelimit-remaining", remaining);
  answer.header("x-ratelimit-reset", Math.ceil((env.clock() + resetMs) / 1000));
  if (!allowed) answer.header("retry-after", Math.max(1, Math.ceil(resetMs / 1000)));
  return allowed;
}

/** Step 2: how often (specification 4.1 and 8). Slugs that cannot exist share one bucket. */
export async function spend(
  { slug, rateClass, address, answer }: Visit,
  viewer: Viewer,
  env: Env,
): Promise<void> {
  const who = viewer.kind === "member" ? viewer.person.id : address;
  const allowed =
    rateClass === "ai"
      ? await take(`ai ${who}`, env.config.aiPerMinute, answer, env)
      : await take(`canvas ${who} ${isSlug(slug) ? slug : ""}`, env.config.canvasPerMinute, answer, env);
  if (!allowed) refuse("RATE_LIMITED");
}
