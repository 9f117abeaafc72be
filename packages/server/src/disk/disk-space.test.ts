import assert from "node:assert/strict";
import os from "node:os";
import { test } from "node:test";
import { isFull, requireSpace, reserveOf, spaceOf, whileSpace } from "./disk-space.ts";

const MIB = 1024 * 1024;

const RESERVES: [setting: number | null, total: number, reserve: number][] = [
  [null, 100_000 * MIB, 256 * MIB],
  [null, 1_000 * MIB, 100 * MIB],
  [null, 10 * MIB, MIB],
  [5, 10 * MIB, 5],
  [1_000 * MIB, 10 * MIB, 1_000 * MIB],
  [0, 10 * MIB, 0],
];
for (const [setting, total, reserve] of RESERVES) {
  test(`reserveOf: setting ${setting} and a disk of ${total / MIB} MiB: ${reserve} bytes`, () => {
    assert.equal(reserveOf(setting, total), reserve);
  });
}

test("spaceOf: free space is scarce above the reserve, and at the reserve unless that is off", async () => {
  const { free = 0, total = 0 } = (await spaceOf(os.tmpdir(), 0)) ?? {};
  const near = Math.min(1_024 * MIB, total / 10) / 2;
  assert.equal((await spaceOf(os.tmpdir(), Math.round(free - near)))?.state, "scarce");
  assert.equal((await spaceOf(os.tmpdir(), 2 * free))?.state, "reserve");
  assert.notEqual((await spaceOf(os.tmpdir(), 0))?.state, "reserve");
});

test("requireSpace throws when less than the setting is free", async () => {
  await requireSpace(os.tmpdir(), 1);
  await requireSpace("/nowhere", 0);
  await assert.rejects(requireSpace(os.tmpdir(), Number.MAX_SAFE_INTEGER), isFull);
});

test("whileSpace throws before it reads the first byte", async () => {
  let read = 0;
  const source = async function* () {
    read++;
    yield Buffer.of(1);
  };
  await assert.rejects(Array.fromAsync(whileSpace(source(), os.tmpdir(), Number.MAX_SAFE_INTEGER)), isFull);
  assert.equal(read, 0);
  assert.deepEqual(await Array.fromAsync(whileSpace(source(), os.tmpdir(), 1)), [Buffer.of(1)]);
});

test("isFull is true for the error codes of a full disk, a quota and SQLite", () => {
  for (const error of [{ code: "ENOSPC" }, { code: "EDQUOT" }, { code: "ERR_SQLITE_ERROR", errcode: 13 }])
    assert.ok(isFull(error));
  for (const error of [null, new Error("full"), { code: "EIO" }, { errcode: 10 }, { errcode: 5 }])
    assert.ok(!isFull(error));
});
