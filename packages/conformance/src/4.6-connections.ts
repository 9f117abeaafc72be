import { describe, test } from "node:test";
import { audiences } from "./connections/audiences.ts";
import { failures } from "./connections/failures.ts";
import { grantLimits } from "./connections/grant-limits.ts";
import { limits } from "./connections/limits.ts";
import { methods } from "./connections/methods.ts";
import { order } from "./connections/order.ts";
import { paths } from "./connections/paths.ts";
import { places } from "./connections/places.ts";
import { profiles } from "./connections/profiles.ts";
import { rates } from "./connections/rates.ts";
import { redirects } from "./connections/redirects.ts";
import { requestHeaders } from "./connections/request-headers.ts";
import { responses } from "./connections/responses.ts";
import { visitors } from "./connections/visitors.ts";
import type { Target } from "./target.ts";

/**
 * Tests specification 4.6: Connections. The profiles have the origin of the stand-in for an external
 * API. Each request tells the stand-in in its query how to respond. Without a stand-in, the tests are skipped.
 */
export function connections(target: Target): void {
  if (target.upstream === undefined) {
    test("4.6 Connections", { skip: "no stand-in for an external API is given (UPSTREAM)" });
    return;
  }
  if (target.rateLimited) {
    describe("4.6 Connections", () => rates(target));
    return;
  }
  // The failures wait for a deadline of ten seconds. They run beside all others.
  describe("4.6 Connections", { concurrency: 2 }, () => {
    failures(target);
    describe("calls and profiles", { concurrency: 1 }, () => {
      methods(target);
      limits(target);
      audiences(target);
      order(target);
      visitors(target);
      grantLimits(target);
      profiles(target);
      places(target);
      paths(target);
      redirects(target);
      responses(target);
      requestHeaders(target);
    });
  });
}
