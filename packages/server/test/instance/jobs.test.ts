import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@easel/conformance/patience";
import { newId } from "../../src/crypto/ids.ts";
import { memory } from "../../src/drivers/bus/memory.ts";
import type { Db } from "../../src/drivers/db/db.ts";
import { alone } from "../../src/instance/jobs.ts";
import { keepLease, NodeLease } from "../../src/instance/lease.ts";
import { onDatabases, times } from "../drivers/databases.ts";
import { Clock } from "../primitives/realtime/realtime-node.ts";
import { atEnd, type Scope } from "../support/service.ts";

/** Starts a process of the instance, at a time that the test sets. */
async function startProcess(scope: Scope, db: Db) {
  const clock = new Clock();
  const warnings: unknown[] = [];
  const log = { warn: ({ err }: { err: unknown }) => warnings.push(err) };
  const lease = new NodeLease({ db, bus: memory(), clock: clock.now, log });
  await lease.start();
  atEnd(scope, async () => {
    await lease.stop();
    assert.deepEqual(warnings, []);
  });
  return { db, lease, clock };
}

await onDatabases("jobs", (db, otherDb) => {
  /** Lets the lease of a process expire, as if the process had been killed. */
  const expire = ({ lease }: { lease: { id: string } }) =>
    db.run`update leases set leased_until = 0 where id = ${lease.id}`;

  test("of several processes, one at a time does a job; each comes to its turn", async (t) => {
    const processes = [await startProcess(t, db), await startProcess(t, otherDb)];
    const job = newId();
    let [running, most, done] = [0, 0, 0];
    await times(4, (index) =>
      alone(
        job,
        async () => {
          most = Math.max(most, ++running);
          await sleep(20);
          running--;
          done++;
        },
        processes[index % 2] ?? assert.fail(),
      ),
    );
    assert.deepEqual({ most, done }, { most: 1, done: 4 });
  });

  test("processes that try at the same moment: one begins", async (t) => {
    const [one, two] = [await startProcess(t, db), await startProcess(t, otherDb)];
    for (let round = 0; round < 20; round++) {
      const [job, stop] = [newId(), new AbortController()];
      const end = Promise.withResolvers<void>();
      let begun = 0;
      const work = async () => {
        begun++;
        await end.promise;
      };
      const both = [one, two].map((each) => alone(job, work, each, { stop: stop.signal }));
      const first = Promise.race(both);
      await until("one has begun", () => begun > 0);
      stop.abort();
      assert.equal(await first, false);
      assert.equal(begun, 1);
      end.resolve();
      await Promise.all(both);
    }
  });

  test("a process whose lease has expired has lost its job: another one goes on, and the first one is told", async (t) => {
    const [one, two] = [await startProcess(t, db), await startProcess(t, otherDb)];
    const job = newId();
    const told = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const lost = alone(
      job,
      async (signal) => {
        began.resolve();
        signal.addEventListener("abort", () => told.resolve());
        await told.promise;
      },
      one,
    );
    await began.promise;
    await expire(one);
    await alone(
      job,
      async () => {
        one.clock.pass(4_000);
        await told.promise;
        await lost;
        // The process that has lost the job has not freed it.
        const row = await db.get<{ lease: string }>`select lease from jobs where name = ${job}`;
        assert.equal(row?.lease, two.lease.id);
      },
      two,
    );
  });

  test("a lease is renewed while its process does a job", async (t) => {
    const one = await startProcess(t, db);
    const leasedUntil = async () =>
      (await db.get<{ ms: number }>`select leased_until as ms from leases where id = ${one.lease.id}`)?.ms;
    await alone(
      newId(),
      async (signal) => {
        await expire(one);
        one.clock.pass(4_000);
        await until("it is renewed", async () => Number(await leasedUntil()) > Date.now());
        await sleep(50);
        assert.equal(signal.aborted, false);
      },
      one,
    );
    await expire(one);
    one.clock.pass(4_000);
    await sleep(150);
    assert.equal(Number(await leasedUntil()), 0);
  });

  test("a killed process: another one goes on when the lease has expired, not before", {
    timeout: 30_000,
  }, async (t) => {
    const job = newId();
    const begun = performance.now();
    await db.batch([keepLease("killed", 1_000)]);
    await db.run`insert into jobs (name, lease) values (${job}, 'killed')`;
    await alone(job, async () => {}, await startProcess(t, db));
    assert.ok(performance.now() - begun >= 990);
  });

  test("a job that another process has finished lately is skipped", async (t) => {
    const [one, two] = [await startProcess(t, db), await startProcess(t, otherDb)];
    const job = newId();
    const work = async () => {};
    assert.equal(await alone(job, work, one, { every: 60_000 }), true);
    assert.equal(await alone(job, work, two, { every: 60_000 }), false);
    assert.equal(await alone(job, work, two), true);
    await db.run`update jobs set finished_at = finished_at - 60001 where name = ${job}`;
    assert.equal(await alone(job, work, two, { every: 60_000 }), true);
  });

  test("a job that fails is free, and has not been finished", async (t) => {
    const [one, two] = [await startProcess(t, db), await startProcess(t, otherDb)];
    const job = newId();
    await assert.rejects(
      alone(job, () => Promise.reject(new Error("it fails")), one),
      /it fails/,
    );
    assert.equal(await alone(job, async () => {}, two, { every: 60_000 }), true);
  });
});
