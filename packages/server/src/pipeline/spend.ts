import { isSlug } from "../canvases/slug.ts";
import { type Bucket, SHARED_PART } from "../drivers/bus/bus.ts";
import type { Env } from "../env.ts";
import { networkOf } from "../kit/network.ts";
import { refuse } from "../kit/refusal.ts";
import { take } from "../rate-limit.ts";
import type { StartedBy } from "./isolate.ts";
import type { ApiVisit, Viewer } from "./visit.ts";

/** Step 2: how often (specification 4.1 and 8). */
export async function spend(visit: ApiVisit, viewer: Viewer, page: StartedBy, env: Env): Promise<void> {
  const { aiPerMinute, canvasPerMinute } = env.config;
  const perMinute = visit.rateClass === "ai" ? aiPerMinute : canvasPerMinute;
  if (!(await take(bucketOf(visit, viewer, page), perMinute, visit.answer, env))) refuse("RATE_LIMITED");
}

/** The bucket of a request. Other pages cannot spend what a visitor has for this canvas. */
function bucketOf({ slug, rateClass, address }: ApiVisit, viewer: Viewer, page: StartedBy): Bucket {
  const owner = viewer?.id ?? networkOf(address);
  if (page !== "own") return { rateClass: "foreign", owner, part: rateClass };
  if (rateClass === "ai") return { rateClass, owner };
  const part = isSlug(slug) ? slug : SHARED_PART;
  return { rateClass: viewer === null ? "anonymous" : "canvas", owner, part };
}
