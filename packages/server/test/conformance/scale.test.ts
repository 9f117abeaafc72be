import { after, describe, test } from "node:test";
import { routes as files } from "@easel/conformance/files/routes";
import { live } from "@easel/conformance/realtime/live";
import { places } from "@easel/conformance/realtime/places";
import { publish } from "@easel/conformance/realtime/publish";
import { devTarget } from "@easel/conformance/target";
import { hasScale, twoNodes } from "../support/two-nodes.ts";

const SUITES = [files, live, places, publish];

/*
 * Runs the suites in which clients of one process see what another does, against two processes behind a load balancer. A version that one
 * publishes and another serves is tested in `test/pipeline/current-access.test.ts`. `npm run conformance:scale` runs all.
 */
if (hasScale()) {
  const settings = { SERVICE_RATELIMIT_ENABLED: "off", SERVICE_REALTIME_PUBLISHES_PER_MIN: "1000000000" };
  const endings: (() => Promise<unknown>)[] = [];
  const { base } = await twoNodes({ after: (end) => endings.push(end) }, { isBalanced: true, settings });
  describe("the specification on two nodes", () => {
    after(async () => {
      for (const end of endings.reverse()) await end();
    });
    for (const suite of SUITES) suite(devTarget(base, "path"));
  });
} else test("the specification on two nodes", { skip: "PostgreSQL or Redis is not installed" });
