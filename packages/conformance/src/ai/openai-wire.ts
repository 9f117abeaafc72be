import type { TokenUsage } from "@easel/protocol/ai";
import type { Wire } from "./wire.ts";

/**
 * Returns an encoder for streamed responses of OpenAI's Chat Completions, with the name of the model and the numbers of tokens in `usage`.
 * In this format, `prompt_tokens` includes the tokens that were read from the cache.
 */
export function openaiWire(model: string, usage: TokenUsage): Wire {
  const line = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
  const chunk = (fields: object) =>
    line({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model, ...fields });
  const choice = (delta: object, finish: string | null = null) =>
    chunk({ choices: [{ index: 0, delta, finish_reason: finish }] });
  return {
    begin: () => choice({ role: "assistant", content: "" }),
    text: (content) => choice({ content }),
    think: (reasoning_content) => choice({ reasoning_content }),
    error: (message) => line({ error: { message, type: "server_error", code: null } }),
    end(told) {
      const prompt_tokens = usage.inputTokens + usage.cacheReadInputTokens;
      const totals = {
        prompt_tokens,
        completion_tokens: usage.outputTokens,
        total_tokens: prompt_tokens + usage.outputTokens,
        prompt_tokens_details: { cached_tokens: usage.cacheReadInputTokens },
      };
      return `${choice({}, "stop")}${told ? chunk({ choices: [], usage: totals }) : ""}data: [DONE]\n\n`;
    },
  };
}
