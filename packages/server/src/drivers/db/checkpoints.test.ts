import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { atEnd, temporaryDirectory } from "../../../test/support/service.ts";
import { Checkpoints } from "./checkpoints.ts";
import { openConnection } from "./sqlite-connection.ts";

const run = promisify(execFile);

const MIB = 1 << 20;

async function database(t: TestContext) {
  const file = join(await temporaryDirectory(t), "easel.db");
  const connection = openConnection(file, 1000);
  atEnd(t, async () => connection.close());
  connection.exec("create table data (value blob)");
  const write = (bytes: number) =>
    connection.prepare("insert into data values (?)").run(new Uint8Array(bytes).fill(7));
  return { file, write, size: () => statSync(file).size, log: () => statSync(`${file}-wal`).size };
}

const DELAY_MS = 20;

/** Returns `Checkpoints`, whose delay passes when `start` is called, and a promise that resolves when they call `finish`. */
function checkpoints(t: TestContext, file: string) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { promise: finished, resolve } = Promise.withResolvers<void>();
  const made = new Checkpoints(file, resolve, DELAY_MS);
  atEnd(t, () => made.close());
  return { made, finished, start: () => t.mock.timers.tick(DELAY_MS) };
}

suite("checkpoints of SQLite", () => {
  test("a commit does not copy the log into the file", async (t) => {
    const { write, size, log } = await database(t);
    write(8 * MIB);
    assert.ok(log() > 8 * MIB);
    assert.ok(size() < MIB);
  });

  test("the thread copies the log, and later writes use its space again", async (t) => {
    const { file, write, size, log } = await database(t);
    const { made, finished, start } = checkpoints(t, file);
    write(8 * MIB);
    made.schedule();
    start();
    await finished;
    assert.ok(size() > 8 * MIB);
    const before = log();
    write(4 * MIB);
    assert.equal(log(), before);
  });

  test("the rest of the log is copied on the event loop, even if the thread cannot read the database file", async (t) => {
    const file = join(await temporaryDirectory(t), "easel.db");
    writeFileSync(file, "no database".repeat(1000));
    writeFileSync(`${file}-wal`, Buffer.alloc(8 * MIB));
    const { made, finished, start } = checkpoints(t, file);
    made.schedule();
    start();
    await finished;
  });

  test("a small log is not copied", async (t) => {
    const { file, write, size } = await database(t);
    const { made, start } = checkpoints(t, file);
    write(MIB);
    made.schedule();
    start();
    // Waits for a thread that has been started to copy the log.
    await made.close();
    assert.ok(size() < MIB);
  });

  test("no thread is started after close", async (t) => {
    const { file, write, size } = await database(t);
    const { made, start } = checkpoints(t, file);
    write(8 * MIB);
    made.schedule();
    await made.close();
    start();
    await made.close();
    assert.ok(size() < MIB);
  });

  test("a process with nothing else to do stays alive until close has resolved", async (t) => {
    const directory = await temporaryDirectory(t);
    const file = join(directory, "easel.db");
    const program = join(directory, "program.mjs");
    const text = `
      const { sqlite } = await import(${JSON.stringify(import.meta.resolve("./sqlite.ts"))});
      const db = sqlite(process.argv[2], () => {});
      await db.exclusively((tables) => tables.exec("create table data (value bigint)"));
      for (let n = 0; n < 5; n++) await db.run(["insert into data values (zeroblob(1048576))"]);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await db.close();
      console.log("closed");
    `;
    writeFileSync(program, text);
    // Runs several processes, because in a single one the thread might end in time by chance.
    const runs = await Promise.all([1, 2, 3, 4].map((n) => run(process.execPath, [program, `${file}${n}`])));
    for (const { stdout } of runs) assert.equal(stdout, "closed\n");
  });
});
