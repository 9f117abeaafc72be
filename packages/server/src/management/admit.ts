import { ERRORS } from "@easel/protocol/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { User } from "../access/principal.ts";
import type { Bucket } from "../drivers/bus/bus.ts";
import type { Env } from "../env.ts";
import { isCrossOrigin, requireSameOrigin } from "../http/csrf.ts";
import { take } from "../http/rate-limit.ts";
import { Refusal, refuse } from "../http/refusal.ts";
import { blockEmbedding } from "../http/security-headers.ts";
import type { Caller } from "../identity/credential.ts";
import { identify } from "../identity/identify.ts";
import { challenge, challengeProgram } from "../sign-in/challenge.ts";

/**
 * The factor by which the rate limit of uploads is higher than the limit of other requests. With the default limit, uploading a
 * bundle of 5,000 files takes about a minute.
 */
const UPLOADS_FACTOR = 20;

/**
 * Authenticates a request, counts it against the rate limit and, unless it only reads, checks its origin. Runs before the body is read.
 * Throws 403 for a guest unless `guests` is true. `page`: whether the request is for a page of the service, which accepts no access tokens.
 */
export async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
  { guests, uploads = false, page = false }: { guests: boolean; uploads?: boolean; page?: boolean },
): Promise<Caller<User>> {
  blockEmbedding(reply);
  const { user, ...proof } = await identify(request.raw, reply, env, { tokens: !page });
  if (user === null)
    return page ? challenge(request.raw, "page", env) : challengeProgram(request.raw, reply, env);
  const rateClass = isCrossOrigin(request.headers, env.base) ? "foreign" : "management";
  const bucket: Bucket = { rateClass, owner: user.id, part: uploads ? "uploads" : "management" };
  const perMinute = env.config.managementPerMinute * (uploads ? UPLOADS_FACTOR : 1);
  if (!(await take(bucket, perMinute, reply, env))) {
    const { status, message } = ERRORS.RATE_LIMITED;
    throw new Refusal(status, { error: "rate_limited", code: "RATE_LIMITED", message });
  }
  if (request.method !== "GET" && request.method !== "HEAD") requireSameOrigin(request.headers, env.base);
  if (user.guestOf !== null && !guests) {
    refuse("PERMISSION_DENIED", { message: "Guests may use only the canvas that they were invited to." });
  }
  return { user, ...proof };
}
