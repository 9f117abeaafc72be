import assert from "node:assert/strict";
import { it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { until } from "@easel/conformance/patience";
import { startSweeping } from "../../src/canvases/sweep.ts";
import type { Env } from "../../src/env.ts";
import { onSqlite } from "../support/engines.ts";

await onSqlite("a sweep of which one part fails", (_target, env) => {
  it("logs the failure, goes on, and stops when the part that is running is done", async () => {
    const held = Promise.withResolvers<void>();
    const failed = Promise.withResolvers<object>();
    let begun = 0;
    const begin = (part: Promise<void>) => () => {
      begun++;
      return part;
    };
    const fail = () => Promise.reject(new Error("the part fails"));
    const removals = [fail, begin(held.promise), begin(held.promise)];
    const cleanUps = removals.map((remove) => ({ what: "a part", keptMs: 0, remove }));
    const log = { error: failed.resolve } as unknown as Env["log"];
    const canvasData = [...env.canvasData, { cleanUps }];
    await until("the sweep of the start is over", () => !env.lease.held.has("job sweep"));
    const stop = startSweeping({ ...env, canvasData, log });
    assert.match(String(Object(await failed.promise).err), /the part fails/);
    await until("the next part runs", () => begun === 1);
    let isStopped = false;
    const stopped = stop().then(() => {
      isStopped = true;
    });
    await setImmediate();
    assert.equal(isStopped, false);
    held.resolve();
    await stopped;
    assert.equal(begun, 1);
  });
});
