import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { TokenUsage } from "@easel/protocol/ai";

/** Whole, not negative, and small enough to be stored: usage comes from another program. */
const count = (tokens: unknown): number =>
  typeof tokens === "number" && tokens >= 0 && tokens <= 1e9 ? Math.round(tokens) : 0;

/** Converts the usage of the AI SDK, whose `inputTokens.total` includes the tokens of the cache. Returns null if the provider told none. */
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

/** Converts the usage in the first event of Anthropic's Messages API. Returns null if it has none. */
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
