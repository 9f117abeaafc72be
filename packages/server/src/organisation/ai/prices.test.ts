import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../config/config.ts";
import { currentModels, priceOf } from "./prices.ts";

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
