import { isSlug } from "../canvases/slug.ts";
import type { Env } from "../env.ts";
import { refuse } from "../kit/refusal.ts";
import { take } from "../rate-limit.ts";
import type { ApiVisit, Viewer } from "./visit.ts";

/** Step 2: how often (specification 4.1 and 8). Slugs that cannot exist share one bucket. */
export async function spend(
  { slug, rateClass, address, answer }: ApiVisit,
  viewer: Viewer,
  env: Env,
): Promise<void> {
  const who = viewer?.id ?? address;
  const allowed =
    rateClass === "ai"
      ? await take(`ai ${who}`, env.config.aiPerMinute, answer, env)
      : await take(`canvas ${who} ${isSlug(slug) ? slug : ""}`, env.config.canvasPerMinute, answer, env);
  if (!allowed) refuse("RATE_LIMITED");
}
