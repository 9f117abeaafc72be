import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { TokenUsage } from "@easel/protocol/ai";

/** Returns a number of tokens from a provider as a whole number. Returns 0 if it is no number, negative, or larger than 1e9. */
const count = (tokens: unknown): number =>
  typeof tokens === "number" && tokens >= 0 && tokens <= 1e9 ? Math.round(tokens) : 0;

/**
 * Converts the AI SDK's numbers of tokens. Its `inputTokens.total` includes the tokens of the prompt cache. Returns null if the provider
 * did not send the totals.
 */
export function fromSdkUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): TokenUsage | null {
  if (inputTokens.total === undefined || outputTokens.total === undefined) return null;
  const cacheReadInputTokens = count(inputTokens.cacheRead);
  const cacheCreationInputTokens = count(inputTokens.cacheWrite);
  const rest = count(inputTokens.total) - cacheReadInputTokens - cacheCreationInputTokens;
  return {
    inputTokens: count(inputTokens.noCache ?? rest),
    outputTokens: count(outputTokens.total),
    cacheCreationInputTokens,
    cacheReadInputTokens,
  };
}

/**
 * Converts the numbers of tokens in the first event of a response of Anthropic's Messages API. Returns null if the event has no `usage`.
 */
export function fromMessageStart(usage: unknown): TokenUsage | null {
  if (typeof usage !== "object" || usage === null) return null;
  const fields = usage as Record<string, unknown>;
  return {
    inputTokens: count(fields.input_tokens),
    outputTokens: 0,
    cacheCreationInputTokens: count(fields.cache_creation_input_tokens),
    cacheReadInputTokens: count(fields.cache_read_input_tokens),
  };
}
