import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../config/config.ts";
import { costOf, currentModels, highestCost, inputOf, priceOf, toNano, toUsd } from "./prices.ts";

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

const anthropic = { aiProvider: "anthropic", aiPrices: {} } as const;
const openai = { aiProvider: "openai", aiPrices: {} } as const;
const OWN = { input: 7, output: 8, cacheWrite: 9, cacheRead: 10 };

test("the tier for long prompts begins above 100,000 tokens of input", () => {
  for (const tokens of [0, 99_999, 100_000])
    assert.equal(priceOf("claude-haiku-5-5", tokens, anthropic)?.input, 0.1);
  for (const tokens of [100_001, 1_000_000]) {
    const { input, output, cacheWrite, cacheRead } =
      priceOf("claude-haiku-5-5", tokens, anthropic) ?? assert.fail();
    assert.deepEqual([input, output, cacheWrite, cacheRead], [0.5, 2.5, 0.625, 0.05]);
  }
});

test("a model without such a tier has one price", () => {
  const price = priceOf("claude-opus-5-5", 0, anthropic);
  assert.deepEqual([price?.input, price?.output, price?.cacheWrite, price?.cacheRead], [4, 20, 5, 0.2]);
  assert.equal(priceOf("claude-opus-5-5", 1_000_000, anthropic), price);
});

test("SERVICE_AI_PRICES replaces all prices of a model, and adds models", () => {
  const aiPrices = { "claude-haiku-5-5": OWN, "my-model": OWN };
  for (const tokens of [0, 100_001])
    assert.equal(priceOf("claude-haiku-5-5", tokens, { ...anthropic, aiPrices }), OWN);
  assert.equal(priceOf("my-model", 0, { ...anthropic, aiPrices }), OWN);
  assert.equal(priceOf("claude-opus-5-5", 0, { ...anthropic, aiPrices })?.input, 4);
});

test("a model that is not in the table of the provider has no price", () => {
  assert.equal(priceOf("unknown", 0, anthropic), null);
  assert.equal(priceOf("", 0, anthropic), null);
  assert.equal(priceOf("gpt-6.2-sol", 0, anthropic), null);
  assert.equal(priceOf("claude-opus-5-5", 0, openai), null);
  assert.equal(priceOf("gpt-6.2-sol", 0, openai)?.output, 10);
});

test("names of object members are no models", () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"])
    for (const config of [anthropic, openai]) assert.equal(priceOf(name, 0, config), null, name);
});

test("a model named `__proto__` in SERVICE_AI_PRICES gives no other model a price", () => {
  const config = readConfig({ SERVICE_AI_PRICES: `{"__proto__": ${JSON.stringify(OWN)}}` });
  assert.deepEqual(priceOf("__proto__", 0, config), OWN);
  for (const name of ["input", "other"]) assert.equal(priceOf(name, 0, config), null);
});

test("the current models are allowed by default, and each of them has a price", () => {
  assert.deepEqual(currentModels(anthropic), [
    "claude-fable-5-1",
    "claude-opus-5-5",
    "claude-sonnet-5-5",
    "claude-haiku-5-5",
  ]);
  assert.deepEqual(currentModels(openai), ["gpt-6.2-sol", "gpt-6-luna"]);
  for (const config of [anthropic, openai])
    for (const model of currentModels(config)) assert.notEqual(priceOf(model, 0, config), null);
});
