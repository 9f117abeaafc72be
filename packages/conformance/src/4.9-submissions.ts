import { describe } from "node:test";
import { names } from "./submissions/names.ts";
import { pages } from "./submissions/pages.ts";
import { roles } from "./submissions/roles.ts";
import { routes } from "./submissions/routes.ts";
import { rates, switches } from "./submissions/switches.ts";
import { values } from "./submissions/values.ts";
import type { Target } from "./target.ts";

/** Tests specification 4.9: submissions, of which each person has at most one per collection. */
export function submissions(target: Target): void {
  describe("4.9 submissions", () => {
    if (target.rateLimited) return rates(target);
    routes(target);
    roles(target);
    names(target);
    pages(target);
    values(target);
    switches(target);
  });
}
