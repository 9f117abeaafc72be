import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { devTarget } from "@easel/conformance/target";
import { hasScale, twoNodes } from "../support/two-nodes.ts";
import { allowed, LIMIT, SETTINGS } from "./observed.ts";
import { Writes } from "./writes.ts";

/** How long PostgreSQL, Redis and a node are away, in milliseconds. */
const AWAY_MS = 500;

const skip = !hasScale() && "PostgreSQL or Redis is not installed";

test("two nodes lose no write when PostgreSQL, Redis or a node is away", { skip }, async (t) => {
  const { nodes, postgres, redis } = await twoNodes(t, { settings: SETTINGS });
  const targets = nodes.map(({ base }) => devTarget(base, "path"));
  const writes = await Writes.start(targets);
  /** Waits until each node has answered clients again. */
  const goOn = () => writes.successes(40);
  await goOn();
  const away = async (begin: () => unknown, end: () => unknown) => {
    await begin();
    await sleep(AWAY_MS);
    await end();
    await goOn();
  };
  await away(
    () => postgres.proxy.set({ kind: "cut" }),
    () => postgres.proxy.set(),
  );
  await away(redis.kill, redis.start);
  await away(nodes[0].kill, nodes[0].start);
  const { acknowledged, lost, invented, faults, refusals } = await writes.stop();
  assert.ok(acknowledged > 0);
  assert.deepEqual({ lost, invented, faults, refusals }, { lost: 0, invented: 0, faults: [], refusals: [] });
  assert.equal(await allowed(targets), LIMIT);
});
