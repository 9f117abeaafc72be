import { describe } from "node:test";
import { attachments } from "./files/attachments.ts";
import { content } from "./files/content.ts";
import { groups } from "./files/groups.ts";
import { lists } from "./files/lists.ts";
import { losses } from "./files/losses.ts";
import { matrix } from "./files/matrix.ts";
import { orders } from "./files/orders.ts";
import { origins } from "./files/origins.ts";
import { quotas } from "./files/quotas.ts";
import { ranges } from "./files/ranges.ts";
import { refusals } from "./files/refusals.ts";
import { renames } from "./files/renames.ts";
import { routes } from "./files/routes.ts";
import { rates, switches } from "./files/switches.ts";
import { uploads } from "./files/uploads.ts";
import { watches } from "./files/watches.ts";
import type { Target } from "./target.ts";

/** Tests specification 4.4: files that pages upload. */
export function files(target: Target): void {
  describe("4.4 files", () => {
    if (target.rateLimited) return rates(target);
    routes(target);
    uploads(target);
    orders(target);
    refusals(target);
    losses(target);
    quotas(target);
    matrix(target);
    lists(target);
    renames(target);
    attachments(target);
    groups(target);
    content(target);
    ranges(target);
    watches(target);
    origins(target);
    switches(target);
  });
}
