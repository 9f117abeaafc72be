import assert from "node:assert/strict";
import { it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { startSweeping } from "../../src/canvases/sweep.ts";
import type { Env } from "../../src/env.ts";
import { onSqlite } from "../support/engines.ts";

await onSqlite("a sweep of which one part fails", (_target, env) => {
  it("logs the failure, and stops only when the other parts are done", async () => {
    const held = Promise.withResolvers<void>();
    const failed = Promise.withResolvers<object>();
    const sweeps = [() => Promise.reject(new Error("the part fails")), () => held.promise];
    const log = { error: failed.resolve } as unknown as Env["log"];
    const canvasData = [...env.canvasData, ...sweeps.map((sweep) => ({ tables: {}, sweep }))];
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
