import { describe } from "node:test";
import { lists } from "./authoring/lists.ts";
import { order } from "./authoring/order.ts";
import { origins } from "./authoring/origins.ts";
import { publicLinks } from "./authoring/public-links.ts";
import { publishes } from "./authoring/publish.ts";
import { publishRefusals } from "./authoring/publish-refusals.ts";
import { revocations } from "./authoring/revoke.ts";
import { rights } from "./authoring/rights.ts";
import { rates, switches } from "./authoring/switches.ts";
import { conflicts, updates } from "./authoring/update.ts";
import { updateRefusals } from "./authoring/update-refusals.ts";
import type { Target } from "./target.ts";

/** Tests specification 4.8: pages that publish further canvases, on a service with `SERVICE_AUTHORING=on`. */
export function authoring(target: Target): void {
  describe("4.8 authoring", () => {
    if (target.rateLimited) return rates(target);
    publishes(target);
    publishRefusals(target);
    updates(target);
    conflicts(target);
    updateRefusals(target);
    revocations(target);
    lists(target);
    rights(target);
    order(target);
    publicLinks(target);
    switches(target);
    origins(target);
  });
}
