/** A message of a conversation. The system prompt is not one of them. */
export interface ChatMessage {
  role: "user" | "assistant";
  content: string;
}

/** The tokens of one request to a model, in four kinds that can have different prices. Each token is counted in one kind only. */
export interface TokenUsage {
  /** Input that was neither read from the provider's prompt cache nor written to it. */
  inputTokens: number;
  outputTokens: number;
  cacheCreationInputTokens: number;
  cacheReadInputTokens: number;
}

/** An event of the response to `POST /ai/chat` (specification 4.5). The last one is `done` or `error`. */
export type ChatEvent =
  | { type: "delta"; text: string }
  /** `cost` is in US dollars. */
  | { type: "done"; usage: TokenUsage; cost: number }
  | { type: "error"; code: string; message: string };

/** The scope of a spend cap, as `QUOTA_EXCEEDED` and `GUEST_AI_CAP` name it. */
export type SpendScope = "user_daily" | "canvas_monthly" | "guest" | "instance_monthly";
