import assert from "node:assert/strict";
import { test } from "node:test";
import { Chunks, readAll } from "./chunks.ts";

const TEXT = Buffer.from("0123456789".repeat(500));

const streamOf = async function* (size: number) {
  for (let at = 0; at < TEXT.length; at += size) yield TEXT.subarray(at, at + size);
};

test("the bytes of chunks of any size are complete and in order", async () => {
  for (const size of [1, 3, 1000, TEXT.length])
    assert.deepEqual(await readAll(streamOf(size), TEXT.length, assert.fail), TEXT);
  assert.deepEqual(new Chunks().bytes(), Buffer.alloc(0));
});

test("one byte too many is refused when it arrives, and the rest is not read", async () => {
  let read = 0;
  const counted = (async function* () {
    for await (const chunk of streamOf(1)) {
      read++;
      yield chunk;
    }
  })();
  await assert.rejects(
    readAll(counted, 10, () => {
      throw new RangeError("too large");
    }),
    RangeError,
  );
  assert.equal(read, 11);
});

test("chunks of one byte take not much more memory than their bytes", () => {
  const chunks = new Chunks();
  const before = process.memoryUsage();
  for (let at = 0; at < 1_000_000; at++) chunks.add(Buffer.allocUnsafeSlow(1));
  const after = process.memoryUsage();
  assert.equal(chunks.size, 1_000_000);
  assert.equal(chunks.bytes().length, 1_000_000);
  const grown = after.heapUsed + after.external - before.heapUsed - before.external;
  assert.ok(grown < 64 * 1024 * 1024, `${grown} bytes`);
});
