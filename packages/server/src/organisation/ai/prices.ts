import type { TokenUsage } from "@easel/protocol/ai";
import type { Config } from "../../config/config.ts";
import type { Price } from "../../config/settings/ai-settings.ts";

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

/** The prices of a model in the built-in table. */
interface ListedPrice extends Price {
  /** Whether canvases may use the model by default. */
  current?: true;
  /** The prices of requests whose whole input is larger than `above` tokens. */
  long?: Price & { above: number };
}

const price = (input: number, output: number, cacheWrite: number, cacheRead: number): Price => ({
  input,
  output,
  cacheWrite,
  cacheRead,
});

/** The day on which `PRICE_LIST` was read from its sources. */
export const PRICES_READ_ON = "2026-11-22";

/**
 * The list prices of the providers' models.
 * Sources: https://platform.claude.com/docs/en/about-claude/pricing and https://developers.openai.com/api/docs/pricing.
 */
export const PRICE_LIST: Record<Config["aiProvider"], Record<string, ListedPrice>> = {
  anthropic: {
    "claude-fable-5-1": { ...price(10, 50, 12.5, 0.25), current: true },
    "claude-opus-5-5": { ...price(4, 20, 5, 0.2), current: true },
    "claude-sonnet-5-5": { ...price(2, 10, 2.5, 0.1), current: true },
    "claude-haiku-5-5": {
      ...price(0.1, 0.5, 0.125, 0.01),
      long: { above: 100_000, ...price(0.5, 2.5, 0.625, 0.05) },
      current: true,
    },
    "claude-opus-5": price(5, 25, 6.25, 0.5),
    "claude-opus-4-8": price(5, 25, 6.25, 0.5),
    "claude-opus-4-7": price(5, 25, 6.25, 0.5),
    "claude-opus-4-6": price(5, 25, 6.25, 0.5),
    "claude-opus-4-5": price(5, 25, 6.25, 0.5),
    "claude-sonnet-5": price(2, 10, 2.5, 0.2),
    "claude-sonnet-4-6": price(3, 15, 3.75, 0.3),
    "claude-sonnet-4-5": price(3, 15, 3.75, 0.3),
    "claude-haiku-4-5": price(1, 5, 1.25, 0.1),
  },
  openai: {
    "gpt-6.2-sol": { ...price(2, 10, 2.5, 0.1), current: true },
    "gpt-6.1-sol": price(2, 10, 2.5, 0.1),
    "gpt-6-sol": price(2, 10, 2.5, 0.2),
    "gpt-6-luna": { ...price(0.1, 0.5, 0.125, 0.01), current: true },
  },
};

/** Returns the models that canvases may use unless `SERVICE_AI_MODELS` or an administrator lists others. */
export const currentModels = ({ aiProvider }: Pick<Config, "aiProvider">): string[] =>
  Object.entries(PRICE_LIST[aiProvider]).flatMap(([model, { current }]) => (current ? [model] : []));

/**
 * Returns the prices of a model for a request of `inputTokens`. Prices in `SERVICE_AI_PRICES` replace those of the built-in table. Returns
 * null if neither has the model.
 */
export function priceOf(
  model: string,
  inputTokens: number,
  { aiProvider, aiPrices }: Pick<Config, "aiProvider" | "aiPrices">,
): Price | null {
  if (Object.hasOwn(aiPrices, model)) return aiPrices[model] ?? null;
  const listed = Object.hasOwn(PRICE_LIST[aiProvider], model) ? PRICE_LIST[aiProvider][model] : undefined;
  if (listed === undefined) return null;
  return listed.long !== undefined && inputTokens > listed.long.above ? listed.long : listed;
}
