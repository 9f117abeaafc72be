import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@easel/conformance/patience";
import type { CleanUp } from "../../src/canvases/canvas-data.ts";
import { startSweeping } from "../../src/canvases/sweep.ts";
import type { Env } from "../../src/env.ts";
import { ENGINES, type Scope, startService, temporaryDirectory } from "../support/service.ts";

/** Starts two processes of one instance, whose first sweeps are over. */
async function startTwo(scope: Scope, database: string): Promise<[Env, Env]> {
  const settings = {
    SERVICE_DATABASE_URL: database,
    SERVICE_SESSION_SECRET: "a secret that both processes have",
    SERVICE_BLOBS_URL: `file:${path.join(await temporaryDirectory(scope), "blobs")}`,
  };
  const { env: one } = await startService(scope, settings);
  const { env: two } = await startService(scope, settings);
  await until("the first sweeps are over", () => one.lease.held.size + two.lease.held.size === 0);
  return [one, two];
}

for (const { name, skip, migratedDatabase } of ENGINES) {
  test(`two processes on ${name} never sweep at once, and each sweeps when it starts`, {
    skip,
  }, async (t) => {
    let [running, most, sweeps] = [0, 0, 0];
    const slow: CleanUp = {
      what: "nothing",
      keptMs: 0,
      async remove() {
        most = Math.max(most, ++running);
        await sleep(100);
        running--;
        sweeps++;
      },
    };
    const processes = await startTwo(t, await migratedDatabase(t));
    const stops = processes.map((env) =>
      startSweeping({ ...env, canvasData: [...env.canvasData, { cleanUps: [slow] }] }),
    );
    await until("both have swept", () => sweeps === 2);
    await Promise.all(stops.map((stop) => stop()));
    assert.equal(most, 1);
  });

  test(`a process on ${name} that waits for the sweep of another one stops at once`, { skip }, async (t) => {
    const [one, two] = await startTwo(t, await migratedDatabase(t));
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    let seconds = 0;
    const sweepWith = (env: Env, remove: CleanUp["remove"]) =>
      startSweeping({ ...env, canvasData: [{ cleanUps: [{ what: "nothing", keptMs: 0, remove }] }] });
    const stopOne = sweepWith(one, () => {
      begun.resolve();
      return end.promise;
    });
    await begun.promise;
    await sweepWith(two, async () => void seconds++)();
    assert.equal(seconds, 0);
    end.resolve();
    await stopOne();
  });

  test(`a clean-up on ${name} gets the time by the clock of the service`, { skip }, async (t) => {
    const [one] = await startTwo(t, await migratedDatabase(t));
    const given = Promise.withResolvers<number>();
    const cleanUp = { what: "nothing", keptMs: 1_000, remove: async (until: number) => given.resolve(until) };
    const stop = startSweeping({ ...one, clock: () => 5_000, canvasData: [{ cleanUps: [cleanUp] }] });
    assert.equal(await given.promise, 4_000);
    await stop();
  });
}
