import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
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
