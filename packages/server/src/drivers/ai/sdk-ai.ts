import { APICallError, type LanguageModelV4, type SharedV4ProviderOptions } from "@ai-sdk/provider";
import { type Ai, type Part, type Prompt, ProviderFailure } from "./ai.ts";
import { toSdkPrompt } from "./sdk-prompt.ts";
import { fromMessageStart, fromSdkUsage } from "./sdk-usage.ts";

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
