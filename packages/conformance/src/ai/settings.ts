import type { TokenUsage } from "@easel/protocol/ai";

/** A model that canvases may use. Its prices make every token of output cost 0.00001 US dollars. */
export const MODEL = "conformance-large";

/** Another model that canvases may use. Its prices are lower than those of `MODEL`. */
export const OTHER_MODEL = "conformance-small";

/** A model on the allowlist that has no price. */
export const UNPRICED_MODEL = "conformance-unpriced";

/** A model with a price that is not on the allowlist. */
export const UNLISTED_MODEL = "conformance-unlisted";

/** The prices of the models, in US dollars per million tokens. */
const PRICES = {
  [MODEL]: { input: 4, output: 10, cacheWrite: 5, cacheRead: 0.4 },
  [OTHER_MODEL]: { input: 1, output: 2, cacheWrite: 1.25, cacheRead: 0.1 },
  [UNLISTED_MODEL]: { input: 1, output: 1, cacheWrite: 1, cacheRead: 1 },
};

/**
 * The environment variables with the models and prices of the service that the AI tests use. The variables for the provider are not among
 * them.
 */
export const SETTINGS = {
  SERVICE_AI_MODELS: [MODEL, OTHER_MODEL, UNPRICED_MODEL].join(),
  SERVICE_AI_PRICES: JSON.stringify(PRICES),
};

/** Returns what a request costs, in US dollars. */
export function costOf(usage: TokenUsage, model: keyof typeof PRICES = MODEL): number {
  const { input, output, cacheWrite, cacheRead } = PRICES[model];
  const micro =
    usage.inputTokens * input +
    usage.outputTokens * output +
    usage.cacheCreationInputTokens * cacheWrite +
    usage.cacheReadInputTokens * cacheRead;
  // The prices have one or two decimal places, so the sum is rounded to whole billionths.
  return Math.round(micro * 1_000) / 1e9;
}
