import { describe } from "node:test";
import { ids, rates } from "./people/ids.ts";
import { sources } from "./people/sources.ts";
import type { Target } from "./target.ts";

/** Tests `GET /people`, the names and pictures of people who have left something on a canvas. */
export function people(target: Target): void {
  describe("4.2 people", () => {
    if (target.rateLimited) return rates(target);
    sources(target);
    ids(target);
  });
}
