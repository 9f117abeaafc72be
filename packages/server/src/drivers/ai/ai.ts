import type { ChatMessage, TokenUsage } from "@easel/protocol/ai";

/** A request to a model: the conversation so far, and the maximum number of output tokens. */
export interface Prompt {
  model: string;
  system?: string | undefined;
  messages: ChatMessage[];
  maxTokens: number;
  /** The header `traceparent` of the request to the provider, if there is a trace. */
  traceparent?: string | undefined;
}

/** A part of the streamed response of a model. A complete response ends with a part of the type `end`. */
export type Part =
  | { type: "text"; text: string }
  /**
   * A piece of the model's reasoning, or with an empty text its beginning. It costs output tokens, but pages do not receive it. Providers may
   * send a summary only, so its length says nothing about its tokens.
   */
  | { type: "thinking"; text: string }
  /** The number of input tokens. Only some providers send it before the output. */
  | { type: "input"; usage: TokenUsage }
  /** The end of the response. `usage` is null if the provider did not send the number of tokens. */
  | { type: "end"; usage: TokenUsage | null };

/**
 * Why a provider failed: it limits requests or is overloaded (`busy`), it sent nothing for too long (`timeout`), or anything else
 * (`failed`).
 */
export type FailureReason = "busy" | "timeout" | "failed";

/** Thrown if the provider cannot be reached, refuses the request, or sends a response that is invalid or incomplete. */
export class ProviderFailure extends Error {
  readonly reason: FailureReason;
  /**
   * Whether the provider may have worked on the request. False if it was not reached or has refused the request with an error status: it then
   * charges nothing.
   */
  readonly processed: boolean;

  constructor(reason: FailureReason, message: string, processed = true) {
    super(message);
    this.reason = reason;
    this.processed = processed;
  }
}

/** A client for the models of one AI provider. */
export interface Ai {
  /** Whether a response begins with a part of the type `input`. Otherwise its usage is known only at its end. */
  readonly tellsInputFirst: boolean;
  /**
   * Streams the response to a prompt, no faster than the caller reads it. Throws `ProviderFailure` if the provider fails. When `signal` is
   * aborted, closes the connection to the provider and throws.
   */
  stream(prompt: Prompt, signal: AbortSignal): AsyncIterable<Part>;
}
