import assert from "node:assert/strict";
import { test } from "node:test";
import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { fromMessageStart, fromSdkUsage } from "./sdk-usage.ts";

/** Builds the usage of the AI SDK from numbers that another program has sent. */
const told = (input: Record<string, unknown>, output: unknown) =>
  ({ inputTokens: input, outputTokens: { total: output } }) as unknown as LanguageModelV4Usage;

const usage = (inputTokens: number, outputTokens: number, created = 0, read = 0) => ({
  inputTokens,
  outputTokens,
  cacheCreationInputTokens: created,
  cacheReadInputTokens: read,
});

test("no token is in two kinds, whether the provider tells the uncached ones or not", () => {
  const input = { total: 111, cacheRead: 100, cacheWrite: 10 };
  assert.deepEqual(fromSdkUsage(told(input, 7)), usage(1, 7, 10, 100));
  assert.deepEqual(fromSdkUsage(told({ ...input, noCache: 1 }, 7)), usage(1, 7, 10, 100));
  assert.deepEqual(fromSdkUsage(told({ total: 5 }, 0)), usage(5, 0));
});

test("usage without a total of input or output is none", () => {
  assert.equal(fromSdkUsage(told({}, 7)), null);
  assert.equal(fromSdkUsage(told({ total: 5 }, undefined)), null);
});

test("more tokens from the cache than in total give no negative number", () => {
  assert.deepEqual(fromSdkUsage(told({ total: 5, cacheRead: 8 }, 1)), usage(0, 1, 0, 8));
});

const HOSTILE = [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e9 + 1, 1e300, "12", null, {}, [3], true, 5n];

test("numbers that are no counts count as 0, and fractions are rounded", () => {
  for (const each of HOSTILE) {
    assert.deepEqual(
      fromSdkUsage(told({ total: each, noCache: each, cacheRead: each, cacheWrite: each }, each)),
      usage(0, 0),
      String(each),
    );
    assert.deepEqual(
      fromMessageStart({
        input_tokens: each,
        cache_creation_input_tokens: each,
        cache_read_input_tokens: each,
      }),
      usage(0, 0),
      String(each),
    );
  }
  assert.deepEqual(fromSdkUsage(told({ total: 1.5, noCache: 1.5 }, 1e9)), usage(2, 1e9));
});

test("the first event of the Messages API tells the input only", () => {
  const event = {
    input_tokens: 3,
    output_tokens: 9,
    cache_creation_input_tokens: 4,
    cache_read_input_tokens: 5,
  };
  assert.deepEqual(fromMessageStart(event), usage(3, 0, 4, 5));
  assert.deepEqual(fromMessageStart({ input_tokens: 3 }), usage(3, 0));
  for (const none of [undefined, null, 3, "3"]) assert.equal(fromMessageStart(none), null);
});
