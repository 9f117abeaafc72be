import type { ChatMessage, TokenUsage } from "@easel/protocol/ai";

/** What a model is asked. */
export interface Prompt {
  model: string;
  system?: string | undefined;
  messages: ChatMessage[];
  maxTokens: number;
}

/** A part of a model's response. The last one is `end`. */
export type Part =
  | { type: "text"; text: string }
  /** The model thinks: output that costs tokens and is not shown. */
  | { type: "thinking"; text: string }
  /** The tokens of the input, from providers that tell them before the output. */
  | { type: "input"; usage: TokenUsage }
  /** The response is complete. `usage` is null from servers that do not tell it. */
  | { type: "end"; usage: TokenUsage | null };

/** Why a provider failed, as far as pages may know. */
export type FailureReason = "busy" | "timeout" | "failed";

/** Thrown if the provider cannot be reached, refuses the request, or sends a response that is invalid or incomplete. */
export class ProviderFailure extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Asks the models of one provider. */
export interface Ai {
  /**
   * Streams the response to a prompt. It is read from the provider as fast as the caller takes it. Throws `ProviderFailure`. When `signal`
   * is aborted, closes the connection to the provider and throws.
   */
  stream(prompt: Prompt, signal: AbortSignal): AsyncIterable<Part>;
}
