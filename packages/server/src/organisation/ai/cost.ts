import type { TokenUsage } from "@easel/protocol/ai";
import type { Price } from "../../config/settings.ts";

/**
 * The number of billionths in a US dollar. Amounts of money are whole billionths, so that sums are exact. They are small enough: even one
 * cached token of a cheap model costs several billionths.
 */
const NANO_USD = 1_000_000_000;

/** A price in US dollars per million tokens, multiplied by this factor, is the price in billionths of a US dollar per token. */
const PER_TOKEN = NANO_USD / 1_000_000;

/** Converts US dollars to billionths of a US dollar. Returns at most `Number.MAX_SAFE_INTEGER`. */
export const toNano = (usd: number): number => Math.min(Math.round(usd * NANO_USD), Number.MAX_SAFE_INTEGER);

/** Converts billionths of a US dollar to US dollars. */
export const toUsd = (nano: number): number => nano / NANO_USD;

/** Returns the number of tokens of the whole input of a request. */
export const inputOf = ({
  inputTokens,
  cacheCreationInputTokens,
  cacheReadInputTokens,
}: TokenUsage): number => inputTokens + cacheCreationInputTokens + cacheReadInputTokens;

/** Returns the cost of a request in billionths of a US dollar. */
export const costOf = (usage: TokenUsage, price: Price): number =>
  Math.round(
    PER_TOKEN *
      (usage.inputTokens * price.input +
        usage.outputTokens * price.output +
        usage.cacheCreationInputTokens * price.cacheWrite +
        usage.cacheReadInputTokens * price.cacheRead),
  );

/**
 * Returns the highest possible cost of a request, in billionths of a US dollar. `promptTokens` and `maxTokens` are the highest possible
 * numbers of input and output tokens.
 */
export const highestCost = (promptTokens: number, maxTokens: number, price: Price): number =>
  Math.ceil(PER_TOKEN * (promptTokens * Math.max(price.input, price.cacheWrite) + maxTokens * price.output));
