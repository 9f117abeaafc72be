import type { FastifyReply, FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";

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
  if (raw.complete) return;
  const end = unfinished.begin(holder);
  if (end !== null) return void reply.raw.once("close", end);
  reply.header("retry-after", 1);
  refuse("CONCURRENCY_LIMIT", { message: "Too many requests of yours have not been received yet." });
}
