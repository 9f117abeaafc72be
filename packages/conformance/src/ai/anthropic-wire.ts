import type { TokenUsage } from "@easel/protocol/ai";
import type { Wire } from "./wire.ts";

const event = (type: string, data: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

const start = (type: "text" | "thinking", index: number) =>
  event("content_block_start", {
    index,
    content_block: type === "text" ? { type, text: "" } : { type, thinking: "", signature: "" },
  });

const delta = (index: number, fields: object) => event("content_block_delta", { index, delta: fields });
const stop = (index: number) => event("content_block_stop", { index });

/**
 * Returns an encoder for streamed responses of Anthropic's Messages API. The responses contain the name of the model and the numbers of
 * tokens in `usage`.
 */
export function anthropicWire(model: string, usage: TokenUsage): Wire {
  let index = -1;
  let block: "text" | "thinking" | null = null;
  const open = (type: "text" | "thinking") => {
    if (block === type) return "";
    const closed = block === null ? "" : stop(index);
    block = type;
    index++;
    return closed + start(type, index);
  };
  const input = {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheCreationInputTokens,
    cache_read_input_tokens: usage.cacheReadInputTokens,
  };
  return {
    begin: () =>
      event("message_start", {
        message: {
          id: "msg_01",
          type: "message",
          role: "assistant",
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...input, output_tokens: 1 },
        },
      }) + event("ping", {}),
    text: (text) => open("text") + delta(index, { type: "text_delta", text }),
    think: (thinking) => open("thinking") + delta(index, { type: "thinking_delta", thinking }),
    error: (message) => event("error", { error: { type: "overloaded_error", message } }),
    end: (told) =>
      (block === null ? "" : stop(index)) +
      event("message_delta", {
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: told ? { output_tokens: usage.outputTokens } : { output_tokens: 0 },
      }) +
      event("message_stop", {}),
  };
}
