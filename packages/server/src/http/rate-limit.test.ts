import assert from "node:assert/strict";
import { test } from "node:test";
import { memory } from "../drivers/bus/memory.ts";
import type { Env } from "../env.ts";
import { newMetrics } from "../metrics/metrics.ts";
import { NO_HEADERS, take } from "./rate-limit.ts";

const env = {
  config: { rateLimit: true },
  bus: memory(),
  clock: Date.now,
  metrics: newMetrics(),
} as unknown as Env;
const takeAs = (owner: string) => take({ rateClass: "canvas", owner }, 1, NO_HEADERS, env);

test("after 100 refusals of a caller, each further one is sent about a second later; others do not wait", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  assert.equal(await takeAs("ada"), true);
  for (let each = 0; each < 100; each++) assert.equal(await takeAs("ada"), false);
  let settled = false;
  const late = takeAs("ada").finally(() => {
    settled = true;
  });
  assert.equal(await takeAs("bob"), true);
  assert.equal(await takeAs("bob"), false);
  t.mock.timers.tick(499);
  await takeAs("bob");
  assert.equal(settled, false);
  t.mock.timers.tick(1_001);
  assert.equal(await late, false);
});
