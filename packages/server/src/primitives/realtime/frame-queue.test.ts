import assert from "node:assert/strict";
import { test } from "node:test";
import { RateMeter } from "./frame-queue.ts";

const MINUTE_MS = 60_000;
const START = 1_000_000;

/** Counts `times` frames. Returns the outcomes in order, each with the number of times that it occurred in a row. */
function counted(
  meter: RateMeter,
  kind: "publish" | "other",
  times: number,
  now = START,
): [string, number][] {
  const runs: [string, number][] = [];
  for (let each = 0; each < times; each++) {
    const answer = meter.count(kind, now);
    const last = runs.at(-1);
    if (last?.[0] === answer) last[1]++;
    else runs.push([answer, 1]);
  }
  return runs;
}

test("100 publishes are allowed and 1,000 refused before it is a flood", () => {
  assert.deepEqual(counted(new RateMeter(100), "publish", 1_103), [
    ["allowed", 100],
    ["refused", 1_000],
    ["flood", 3],
  ]);
});

test("600 other frames are allowed and 1,000 refused before it is a flood", () => {
  assert.deepEqual(counted(new RateMeter(100), "other", 1_603), [
    ["allowed", 600],
    ["refused", 1_000],
    ["flood", 3],
  ]);
});

test("publishes and other frames have separate limits, and the refusals of both count towards a flood", () => {
  const meter = new RateMeter(100);
  assert.deepEqual(counted(meter, "publish", 600), [
    ["allowed", 100],
    ["refused", 500],
  ]);
  assert.deepEqual(counted(meter, "other", 1_101), [
    ["allowed", 600],
    ["refused", 500],
    ["flood", 1],
  ]);
});

test("a window lasts a minute from its first frame; the next one begins with the next frame", () => {
  const meter = new RateMeter(100);
  const publish = (times: number, at: number) => counted(meter, "publish", times, START + at);
  assert.deepEqual(publish(1, 0), [["allowed", 1]]);
  assert.deepEqual(publish(100, MINUTE_MS - 1), [
    ["allowed", 99],
    ["refused", 1],
  ]);
  assert.deepEqual(publish(101, MINUTE_MS), [
    ["allowed", 100],
    ["refused", 1],
  ]);
  assert.deepEqual(publish(1, 2 * MINUTE_MS - 1), [["refused", 1]]);
  assert.deepEqual(publish(100, 5 * MINUTE_MS), [["allowed", 100]]);
  assert.deepEqual(publish(1, 6 * MINUTE_MS - 1), [["refused", 1]]);
});

test("refusals of an earlier window do not count", () => {
  const meter = new RateMeter(100);
  counted(meter, "other", 1_600);
  assert.deepEqual(counted(meter, "other", 1_601, START + MINUTE_MS), [
    ["allowed", 600],
    ["refused", 1_000],
    ["flood", 1],
  ]);
});

test("a clock that is set back does not extend a window", () => {
  const meter = new RateMeter(100);
  counted(meter, "publish", 100);
  assert.deepEqual(counted(meter, "publish", 101, START - MINUTE_MS), [
    ["allowed", 100],
    ["refused", 1],
  ]);
});

test("other frames are limited to six times the publishes, and at least 600", () => {
  for (const [publishes, others] of [
    [200, 1_200],
    [10, 600],
  ] as const) {
    const meter = new RateMeter(publishes);
    assert.deepEqual(counted(meter, "publish", publishes + 1), [
      ["allowed", publishes],
      ["refused", 1],
    ]);
    assert.deepEqual(counted(meter, "other", others + 1), [
      ["allowed", others],
      ["refused", 1],
    ]);
  }
});

test("meters are independent", () => {
  const [one, other] = [new RateMeter(100), new RateMeter(100)];
  counted(one, "publish", 500);
  assert.deepEqual(counted(other, "publish", 100), [["allowed", 100]]);
});
