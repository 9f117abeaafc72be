import type { FastifyRequest } from "fastify";
import { SHARED_PART } from "../drivers/bus/bus.ts";
import type { Env } from "../env.ts";
import { destinationOf, initiatorOf } from "../http/fetch-metadata.ts";
import { networkOf } from "../http/network.ts";
import { type HeaderSink, take } from "../http/rate-limit.ts";

/**
 * Counts a sign-in attempt against the rate limit of the client's network. Returns false if the limit is exceeded. What another site loads into
 * its page, such as an image, is counted apart, so that the page cannot keep the network of its visitors from signing in.
 */
export function countAttempt({ ip, headers }: FastifyRequest, reply: HeaderSink, env: Env): Promise<boolean> {
  const loadedByOthers =
    initiatorOf(headers) === "other" && !["document", "unknown"].includes(destinationOf(headers));
  const part = loadedByOthers ? "foreign" : SHARED_PART;
  return take({ rateClass: "login", owner: networkOf(ip), part }, env.config.loginPerMinute, reply, env);
}
