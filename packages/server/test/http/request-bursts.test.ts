import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@easel/conformance/patience";
import { startDev } from "../support/engines.ts";

test("a request that arrives in a turn without time left waits for a later turn", async (t) => {
  const { env, target } = await startDev(t);
  const waiting: (() => void)[] = [];
  env.turns.start = (work) => void waiting.push(work);
  const responses = ["/healthz", "/openapi.json"].map((path) => fetch(target.base + path));
  await until("both requests wait", () => waiting.length === responses.length);
  assert.equal(await Promise.race([...responses, "pending"]), "pending");
  for (const work of waiting) work();
  assert.deepEqual(
    (await Promise.all(responses)).map(({ status }) => status),
    [200, 200],
  );
});
