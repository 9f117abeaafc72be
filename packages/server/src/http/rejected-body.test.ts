import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { discard } from "./rejected-body.ts";

test("the rest of a rejected body is read to its end, a chunk in each turn of the event loop", async () => {
  let left = 30;
  const body = new Readable({
    highWaterMark: 1,
    read() {
      this.push(left-- > 0 ? Buffer.alloc(64 * 1024) : null);
    },
  });
  let [chunks, most] = [0, 0];
  body.on("data", () => chunks++);
  discard(body);
  while (!body.readableEnded) {
    const before = chunks;
    await nextTurn();
    most = Math.max(most, chunks - before);
  }
  assert.equal(chunks, 30);
  assert.ok(most <= 2, `${most} chunks in a turn`);
});
