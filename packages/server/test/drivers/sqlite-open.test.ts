import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { sqlite } from "../../src/drivers/db/sqlite.ts";
import { temporaryDirectory } from "../support/service.ts";

const ROUNDS = 60;
const AT_ONCE = 2;

/** The script of a worker that opens new files one after the other, each at the same moment as the other workers. */
const OPENER = `
  const { workerData } = require("node:worker_threads");
  import(workerData.driver).then(async ({ sqlite }) => {
    for (const [round, file] of workerData.files.entries()) {
      Atomics.add(workerData.arrived, round, 1);
      while (Atomics.load(workerData.arrived, round) < workerData.atOnce);
      await sqlite(file, (error) => { throw error; }).close();
    }
  });
`;

test("a new SQLite file is opened by several workers at the same moment", async (t) => {
  const directory = await temporaryDirectory(t);
  const workerData = {
    driver: import.meta.resolve("../../src/drivers/db/sqlite.ts"),
    files: Array.from({ length: ROUNDS }, (_, round) => path.join(directory, `${round}.db`)),
    arrived: new Int32Array(new SharedArrayBuffer(4 * ROUNDS)),
    atOnce: AT_ONCE,
  };
  const openers = Array.from({ length: AT_ONCE }, () => {
    const opener = new Worker(OPENER, { eval: true, workerData });
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    opener.once("error", reject).once("exit", resolve);
    return { opener, ended: promise };
  });
  try {
    assert.deepEqual(await Promise.all(openers.map(({ ended }) => ended)), [0, 0]);
  } finally {
    // If one worker has failed, the others would wait for it for ever.
    await Promise.all(openers.map(({ opener }) => opener.terminate()));
  }
});

test("a write while the database is being closed is rejected, and one before is stored", async (t) => {
  const file = path.join(await temporaryDirectory(t), "a.db");
  const db = sqlite(file, assert.ifError);
  await db.run`create table t (n integer)`;
  const before = db.run`insert into t values (1)`;
  const closing = db.close();
  await assert.rejects(db.run`insert into t values (2)`, /the database is closed/);
  await Promise.all([before, closing]);
  const again = sqlite(file, assert.ifError);
  assert.deepEqual(await again.all`select n from t`, [{ n: 1 }]);
  await again.close();
});

test("reads while the database is being closed are answered or rejected, and nothing fails afterwards", async (t) => {
  const db = sqlite(path.join(await temporaryDirectory(t), "a.db"), assert.ifError);
  let isOpen = true;
  const closing = db.close().then(() => {
    isOpen = false;
  });
  while (isOpen) {
    const found = await db.get<{ one: number }>`select 1 as one`.catch(() => undefined);
    if (isOpen) assert.equal(found?.one, 1);
    await Promise.race([closing, nextTurn()]);
    await db.get`select 1 as one`.catch(() => {});
  }
  await closing;
  await nextTurn();
});
