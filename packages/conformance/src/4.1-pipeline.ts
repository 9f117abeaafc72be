import { describe } from "node:test";
import { capabilities } from "./pipeline/capability.ts";
import { cors } from "./pipeline/cors.ts";
import { gateway } from "./pipeline/gateway.ts";
import { isolation } from "./pipeline/isolation.ts";
import { ladder } from "./pipeline/ladder.ts";
import { order } from "./pipeline/order.ts";
import { preflight } from "./pipeline/preflight.ts";
import { rateLimit } from "./pipeline/rate-limit.ts";
import { resolve } from "./pipeline/resolve.ts";
import { routing } from "./pipeline/routing.ts";
import { visitors } from "./pipeline/visitors.ts";
import type { Target } from "./target.ts";

/** Tests specification 4.1: the five steps of every request to `/v1/c/{slug}`. */
export function pipeline(target: Target): void {
  describe("4.1 request pipeline", () => {
    if (target.rateLimited) return rateLimit(target);
    gateway(target);
    resolve(target);
    ladder(target);
    visitors(target);
    isolation(target);
    preflight(target);
    cors(target);
    capabilities(target);
    order(target);
    routing(target);
  });
}
