import type { FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { networkOf } from "../http/network.ts";
import { type HeaderSink, take } from "../http/rate-limit.ts";

/** Counts a sign-in attempt against the rate limit of the client's network. Returns false if the limit is exceeded. */
export const countAttempt = ({ ip }: FastifyRequest, reply: HeaderSink, env: Env): Promise<boolean> =>
  take({ rateClass: "login", owner: networkOf(ip) }, env.config.loginPerMinute, reply, env);
