import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTime } from "./format.ts";

const DAY_S = 24 * 60 * 60;

/** Distances from now in seconds, and their texts. */
const rows: [seconds: number, text: string][] = [
  [0, "now"],
  [-0.9, "now"],
  [-5.9, "5 seconds ago"],
  [-119, "1 minute ago"],
  [-DAY_S, "yesterday"],
  [-89.9 * DAY_S, "89 days ago"],
  [0.9, "now"],
  [59.9, "in 60 seconds"],
  [DAY_S, "tomorrow"],
  [90 * DAY_S - 1, "in 90 days"],
  [89.4 * DAY_S, "in 89 days"],
];

for (const [seconds, text] of rows) {
  test(`${seconds} s from now: ${text}`, () => {
    assert.equal(formatTime(1_000 * seconds, 0), text);
  });
}
