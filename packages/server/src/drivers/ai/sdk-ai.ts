import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4Prompt,
  type LanguageModelV4Usage,
  type SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { TokenUsage } from "@easel/protocol/ai";
import { type Ai, type Part, type Prompt, ProviderFailure } from "./ai.ts";

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

/**
 * Returns the index of the last message before the newest user turn, or -1 if there is none. The newest user turn is the last user message,
 * together with the user messages directly before it.
 */
function beforeNewestTurn(messages: Prompt["messages"]): number {
  let index = messages.findLastIndex(({ role }) => role === "user");
  while (messages[index]?.role === "user") index--;
  return index;
}

/**
 * Converts a prompt to the format of the AI SDK. Adds the option `breakpoint` to the messages up to which the provider caches the prompt:
 * the system prompt, and the last message before the newest user turn (specification 4.5). Omits the option for an empty text, because
 * providers would reject it.
 */
export function toSdkPrompt(
  { system, messages }: Prompt,
  breakpoint: SharedV4ProviderOptions | undefined,
): LanguageModelV4Prompt {
  const marked = breakpoint === undefined ? {} : { providerOptions: breakpoint };
  const last = beforeNewestTurn(messages);
  return [
    ...(system ? [{ role: "system" as const, content: system, ...marked }] : []),
    ...messages.map(({ role, content }, index) => ({
      role,
      content: [{ type: "text" as const, text: content }],
      ...(index === last && content !== "" ? marked : {}),
    })),
  ];
}

/** The maximum time, in ms, for which a provider may send nothing during a response. */
const IDLE_TIMEOUT_MS = 120_000;

/** The statuses by which providers say that they have no capacity: too many requests, unavailable, and Anthropic's overloaded. */
const BUSY = [429, 503, 529];

/** The statuses of a gateway that has passed a request on, and has waited in vain for the response. */
const GAVE_UP_WAITING = [408, 504, 524];

/** The system calls that fail before a byte of a request is sent. */
const BEFORE_SENDING = ["getaddrinfo", "connect"];

/** The codes of errors before a byte of a request is sent: no connection in time, or no valid certificate. */
const NOT_CONNECTED = /^UND_ERR_CONNECT_TIMEOUT$|CERT|LEAF_SIGNATURE/;

/** A provider of the AI SDK. */
export interface SdkProvider {
  /** See `Ai`. */
  tellsInputFirst: boolean;
  model(id: string): LanguageModelV4;
  /** The provider option that marks the message at which the cached part of a prompt ends. Undefined for a provider without this option. */
  breakpoint?: SharedV4ProviderOptions;
}

/** Never follows a redirect, which could pass the provider's key to another host. Returns the redirect itself. */
export const fetchDirectly: typeof fetch = (url, init) => fetch(url, { ...init, redirect: "manual" });

/** Streams the responses of AI models through a provider of the AI SDK. Never repeats a request. */
export class SdkAi implements Ai {
  readonly tellsInputFirst: boolean;
  readonly #provider: SdkProvider;
  readonly #idleMs: number;
  readonly #models = new Map<string, LanguageModelV4>();

  constructor(provider: SdkProvider, idleMs = IDLE_TIMEOUT_MS) {
    this.tellsInputFirst = provider.tellsInputFirst;
    this.#provider = provider;
    this.#idleMs = idleMs;
  }

  async *stream(prompt: Prompt, signal: AbortSignal): AsyncGenerator<Part> {
    const call = new AbortController();
    const abort = () => call.abort();
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    let idle = false;
    let ended = false;
    let closed = false;
    const timer = setTimeout(() => {
      idle = true;
      abort();
    }, this.#idleMs);
    try {
      const { stream } = await this.#model(prompt.model).doStream({
        prompt: toSdkPrompt(prompt, this.#provider.breakpoint),
        maxOutputTokens: prompt.maxTokens,
        abortSignal: call.signal,
        ...(prompt.traceparent !== undefined && { headers: { traceparent: prompt.traceparent } }),
      });
      for await (const part of stream) {
        timer.refresh();
        if (part.type === "text-delta") yield { type: "text", text: part.delta };
        else if (part.type === "reasoning-start") yield { type: "thinking", text: "" };
        else if (part.type === "reasoning-delta") yield { type: "thinking", text: part.delta };
        else if (part.type === "custom" && part.kind === "anthropic.message_start") {
          const usage = fromMessageStart(part.providerMetadata?.anthropic?.usage);
          if (usage !== null) yield { type: "input", usage };
        } else if (part.type === "error") throw part.error;
        else if (part.type === "finish") {
          const { unified } = part.finishReason;
          if (unified === "interrupted" || unified === "error") break;
          ended = true;
          yield { type: "end", usage: fromSdkUsage(part.usage) };
        }
      }
      closed = true;
      if (!ended) throw new ProviderFailure("failed", "the response is incomplete");
    } catch (error) {
      throw idle
        ? new ProviderFailure("timeout", "the provider sent nothing for too long")
        : failureOf(error);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      if (!closed) abort();
    }
  }

  /**
   * Returns the model with an id. Models are kept, because creating one compiles schemas for the provider's format, which takes more time
   * and memory than a response. Callers pass only allowed models.
   */
  #model(id: string): LanguageModelV4 {
    const model = this.#models.get(id) ?? this.#provider.model(id);
    this.#models.set(id, model);
    return model;
  }
}

/**
 * Converts an error of the AI SDK to a `ProviderFailure` that is safe to log. Keeps only the HTTP status, or the names of the errors,
 * because the message and other fields can contain the prompt and the API key.
 */
function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (APICallError.isInstance(error) && error.statusCode !== undefined) {
    const { statusCode } = error;
    const message = `status ${statusCode}`;
    if (GAVE_UP_WAITING.includes(statusCode)) return new ProviderFailure("timeout", message);
    return new ProviderFailure(BUSY.includes(statusCode) ? "busy" : "failed", message, statusCode < 300);
  }
  const names: string[] = [];
  let processed = true;
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    names.push((each as NodeJS.ErrnoException).code ?? each.name);
    if (isBeforeSending(each)) processed = false;
  }
  return new ProviderFailure("failed", names.join(", ") || "an error event", processed);
}

/** Whether an error shows that no byte of the request was sent. A host with several addresses has one error for each. */
function isBeforeSending(error: NodeJS.ErrnoException): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isBeforeSending);
  return BEFORE_SENDING.includes(error.syscall ?? "") || NOT_CONNECTED.test(error.code ?? "");
}
