import assert from "node:assert/strict";
import { it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { until } from "@easel/conformance/patience";
import { startSweeping } from "../../src/canvases/sweep.ts";
import type { Env } from "../../src/env.ts";
import { onSqlite } from "../support/engines.ts";

await onSqlite("a sweep of which one part fails", (_target, env) => {
  it("logs the failure, goes on, and stops only when the other parts are done", async () => {
    const held = Promise.withResolvers<void>();
    const failed = Promise.withResolvers<object>();
    const removals = [() => Promise.reject(new Error("the part fails")), () => held.promise];
    const cleanUps = removals.map((remove) => ({ what: "a part", keptMs: 0, remove }));
    const log = { error: failed.resolve } as unknown as Env["log"];
    const canvasData = [...env.canvasData, { cleanUps }];
    await until("the sweep of the start is over", () => !env.lease.held.has("job sweep"));
    const stop = startSweeping({ ...env, canvasData, log });
    let isStopped = false;
    const stopped = stop().then(() => {
      isStopped = true;
    });
    assert.match(String(Object(await failed.promise).err), /the part fails/);
    await setImmediate();
    assert.equal(isStopped, false);
    held.resolve();
    await stopped;
  });
});
