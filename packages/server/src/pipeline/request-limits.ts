import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../access/principal.ts";
import type { Canvas } from "../canvases/access-lookup.ts";
import { type Bucket, SHARED_PART } from "../drivers/bus/bus.ts";
import type { Env } from "../env.ts";
import { hasArrived } from "../http/body.ts";
import { giveBack, take } from "../http/rate-limit.ts";
import { refuse } from "../http/refusal.ts";
import { networkOf } from "../http/request-headers.ts";
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
  if (visit.countedIn !== undefined) await giveBack(visit.countedIn, env);
  delete visit.countedIn;
  if (!(await take(bucket, perMinute, visit.answer, env))) refuse("RATE_LIMITED");
  visit.countedIn = bucket;
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
  const owner = principal.kind === "visitor" ? networkOf(address) : principal.id;
  if (page !== "canvas") return { rateClass: "foreign", owner, part: rateClass };
  if (rateClass === "ai") return { rateClass, owner };
  const part = canvas === null || canvas.deletedAt !== null ? SHARED_PART : canvas.id;
  return { rateClass: principal.kind === "visitor" ? "anonymous" : "canvas", owner, part };
}

/** A response of at most this many characters or bytes does not count as large. */
export const SMALL_RESPONSE = 16 * 1024;

/**
 * Limits how many large responses are sent to one caller at the same time, because a response that the client does not read takes memory.
 * `holder` identifies the caller: a user id, or the network of an anonymous caller. Throws 429 `CONCURRENCY_LIMIT` if too many are being sent.
 */
export function limitResponses(holder: string, reply: FastifyReply, { responses }: Env): void {
  const end = responses.begin(holder);
  if (end !== null) return void reply.raw.once("close", end);
  reply.header("retry-after", 1);
  refuse("CONCURRENCY_LIMIT", { message: "Too many large responses to you are under way; read them first." });
}

/**
 * Limits how many requests of one caller wait for their bodies at the same time, because each holds a connection. A request counts until
 * its response has been sent. `holder` identifies the caller: a user id, or the network of an anonymous caller. Throws 429 `CONCURRENCY_LIMIT`
 * if too many are open.
 */
export function limitUnfinished(
  holder: string,
  { raw }: FastifyRequest,
  reply: FastifyReply,
  { unfinished }: Env,
): void {
  if (hasArrived(raw)) return;
  const end = unfinished.begin(holder);
  if (end !== null) return void reply.raw.once("close", end);
  reply.header("retry-after", 1);
  refuse("CONCURRENCY_LIMIT", { message: "Too many requests of yours have not been received yet." });
}
