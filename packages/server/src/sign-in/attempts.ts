import type { FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { networkOf } from "../http/network.ts";
import { type HeaderSink, take } from "../http/rate-limit.ts";

/** Counts an attempt to sign in; false when the client's network has made too many. */
export const mayTry = ({ ip }: FastifyRequest, answer: HeaderSink, env: Env): Promise<boolean> =>
  take({ rateClass: "login", owner: networkOf(ip) }, env.config.loginPerMinute, answer, env);
