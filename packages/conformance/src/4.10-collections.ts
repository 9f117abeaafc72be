import { describe } from "node:test";
import { conditional } from "./collections/conditional.ts";
import { counts } from "./collections/counts.ts";
import { increments } from "./collections/increments.ts";
import { matrix } from "./collections/matrix.ts";
import { names } from "./collections/names.ts";
import { pages } from "./collections/pages.ts";
import { phases } from "./collections/phases.ts";
import { policies } from "./collections/policies.ts";
import { routes } from "./collections/routes.ts";
import { rates, switches } from "./collections/switches.ts";
import { unique } from "./collections/unique.ts";
import { values } from "./collections/values.ts";
import type { Target } from "./target.ts";

/** Tests specification 4.10: collections, which are named groups of records with a policy. */
export function collections(target: Target): void {
  describe("4.10 authored collections", () => {
    if (target.rateLimited) return rates(target);
    routes(target);
    matrix(target);
    policies(target);
    phases(target);
    counts(target);
    increments(target);
    names(target);
    pages(target);
    values(target);
    unique(target);
    conditional(target);
    switches(target);
  });
}
