import type { Principal } from "../access/principal.ts";
import type { Canvas } from "../canvases/access-lookup.ts";
import { type Bucket, SHARED_PART } from "../drivers/bus/bus.ts";
import type { Env } from "../env.ts";
import { networkOf } from "../http/network.ts";
import { take } from "../http/rate-limit.ts";
import { refuse } from "../http/refusal.ts";
import type { StartedBy } from "./isolate.ts";
import type { ApiVisit } from "./visit.ts";

/** Step 2 of the pipeline: throws 429 `RATE_LIMITED` if the caller has reached the rate limit (specification 4.1 and 8). */
export async function limitRequests(
  visit: ApiVisit,
  principal: Principal,
  page: StartedBy,
  canvas: Canvas | null,
  env: Env,
): Promise<void> {
  const { aiPerMinute, canvasPerMinute } = env.config;
  const perMinute = visit.rateClass === "ai" ? aiPerMinute : canvasPerMinute;
  const bucket = bucketOf(visit, principal, page, canvas);
  if (!(await take(bucket, perMinute, visit.answer, env))) refuse("RATE_LIMITED");
}

/**
 * Returns the rate-limit bucket of a request. A caller has one bucket per canvas and one bucket for AI on all canvases. Slugs without a
 * canvas share one bucket. Requests from pages outside the canvas count in two other buckets, one of them for AI.
 */
function bucketOf(
  { rateClass, address }: ApiVisit,
  principal: Principal,
  page: StartedBy,
  canvas: Canvas | null,
): Bucket {
  const owner = principal?.id ?? networkOf(address);
  if (page !== "own") return { rateClass: "foreign", owner, part: rateClass };
  if (rateClass === "ai") return { rateClass, owner };
  const part = canvas === null || canvas.deletedAt !== null ? SHARED_PART : canvas.id;
  return { rateClass: principal === null ? "anonymous" : "canvas", owner, part };
}
