import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { DiskWatch, disksOf } from "./disk-watch.ts";

async function places(t: TestContext) {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), "easel-disk-"));
  t.after(() => rm(dataDir, { recursive: true }));
  return { dataDir, databaseUrl: `sqlite:${dataDir}/easel.db`, blobsUrl: `file:${dataDir}`, s3: null };
}

test("the log tells once that a disk is nearly full, once that the reserve is reached, and that there is space again", async (t) => {
  const lines: string[] = [];
  const tell = (level: string) => (fields: object, message: string) =>
    lines.push(`${level} ${JSON.stringify(fields)} ${message}`);
  const config = { ...(await places(t)), diskReserve: 5 };
  const free = [9, 8, 7, 5, 4, 7, 20];
  const log = { info: tell("info"), warn: tell("warn"), error: tell("error") };
  const watch = new DiskWatch(config, log, async (directory, reserve) => {
    assert.deepEqual([directory, reserve], [config.dataDir, 5]);
    const space = { free: free.shift() ?? 0, total: 100, reserve: 5 };
    return { ...space, state: space.free <= 5 ? "reserve" : space.free <= 8 ? "scarce" : "enough" };
  });
  while (free.length > 0) await watch.look();
  const fields = (freeBytes: number) =>
    JSON.stringify({ directory: config.dataDir, freeBytes, reserveBytes: 5 });
  assert.deepEqual(lines, [
    `warn ${fields(8)} a disk is nearly full: make room before writes are refused`,
    `error ${fields(5)} a disk has no more free space than the reserve: writes that need space get 507`,
    `warn ${fields(7)} a disk is nearly full: make room before writes are refused`,
    `info ${fields(20)} a disk has enough free space again`,
  ]);
});

test("directories on one disk are one disk, and a missing one is none", async (t) => {
  const all = await places(t);
  assert.deepEqual(await disksOf(all), [all.dataDir]);
  assert.deepEqual(await disksOf({ ...all, dataDir: "/nowhere" }), [all.dataDir]);
  assert.deepEqual(
    await disksOf({ ...all, dataDir: "/nowhere", databaseUrl: "postgres://db/easel", s3: {} as never }),
    [],
  );
});
