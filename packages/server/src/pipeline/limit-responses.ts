import type { FastifyReply } from "fastify";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";

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
