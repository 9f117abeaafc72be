import type { FastifyReply } from "fastify";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";

/** Up to this length, in characters or bytes, a response may be sent beside any number of others. */
export const SMALL_RESPONSE = 16 * 1024;

/**
 * Counts a large response until it is sent. Each person, or address where nobody is signed in, has a limit, since every response
 * that its reader does not take costs memory. Past it 429 `RATE_LIMITED`.
 */
export function limitResponses(holder: string, reply: FastifyReply, { responses }: Env): void {
  const end = responses.begin(holder);
  if (end !== null) return void reply.raw.once("close", end);
  reply.header("retry-after", 1);
  refuse("RATE_LIMITED", { message: "Too many large responses to you are under way; read them first." });
}
