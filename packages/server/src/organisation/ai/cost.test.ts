import assert from "node:assert/strict";
import { test } from "node:test";
import { costOf, highestCost, inputOf, toNano, toUsd } from "./cost.ts";

const PRICE = { input: 3, output: 15, cacheWrite: 3.75, cacheRead: 0.3 };
const NONE = { inputTokens: 0, outputTokens: 0, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };

test("each of the four kinds of tokens costs its own price per million", () => {
  const million = 1_000_000;
  const rows = [
    ["inputTokens", 3],
    ["outputTokens", 15],
    ["cacheCreationInputTokens", 3.75],
    ["cacheReadInputTokens", 0.3],
  ] as const;
  for (const [kind, usd] of rows) assert.equal(toUsd(costOf({ ...NONE, [kind]: million }, PRICE)), usd, kind);
  const usage = {
    inputTokens: 1,
    outputTokens: 10,
    cacheCreationInputTokens: 100,
    cacheReadInputTokens: 1_000,
  };
  assert.equal(costOf(usage, PRICE), 3_000 + 150_000 + 375_000 + 300_000);
});

test("the input is all tokens except those of the output", () => {
  const usage = {
    inputTokens: 1,
    outputTokens: 10,
    cacheCreationInputTokens: 100,
    cacheReadInputTokens: 1_000,
  };
  assert.equal(inputOf(usage), 1_101);
});

test("a cost is rounded to whole billionths", () => {
  const price = { ...PRICE, input: 0.0004, output: 0.0005 };
  assert.equal(costOf({ ...NONE, inputTokens: 1 }, price), 0);
  assert.equal(costOf({ ...NONE, outputTokens: 1 }, price), 1);
  assert.equal(costOf({ ...NONE, inputTokens: 3 }, { ...price, input: 0.1 }), 300);
});

test("the highest cost rounds up, and takes the higher price of input", () => {
  assert.equal(highestCost(1, 0, { ...PRICE, input: 0.0001, cacheWrite: 0 }), 1);
  assert.equal(highestCost(100, 10, PRICE), 375_000 + 150_000);
  assert.equal(highestCost(100, 10, { ...PRICE, cacheWrite: 0 }), 300_000 + 150_000);
});

test("amounts of US dollars become whole billionths, up to the largest safe integer", () => {
  assert.equal(toNano(0), 0);
  assert.equal(toNano(5), 5_000_000_000);
  assert.equal(toNano(0.1 + 0.2), 300_000_000);
  assert.equal(toNano(1e-9), 1);
  assert.equal(toNano(9_007_199.3), Number.MAX_SAFE_INTEGER);
  assert.equal(toNano(1e300), Number.MAX_SAFE_INTEGER);
  assert.equal(toNano(Number.POSITIVE_INFINITY), Number.MAX_SAFE_INTEGER);
  assert.equal(toUsd(toNano(12.345678901)), 12.345678901);
});
