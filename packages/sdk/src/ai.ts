import type { ChatMessage, TokenUsage } from "@easel/protocol/ai";
import { type ChatSpend, deltas } from "./ai/deltas.ts";
import { EaselError } from "./errors.ts";
import type { Api } from "./request.ts";
import { toJson } from "./value.ts";

/** Options of a chat. */
export interface ChatOptions {
  /** The id of a model that the service allows. */
  model: string;
  /** The system prompt. */
  system?: string;
  /** The maximum number of tokens of the response: by default 1024, at most 8192. */
  maxTokens?: number;
  /** Aborts the request: the service stops the model, and what was generated until then is charged. */
  signal?: AbortSignal | undefined;
}

/** The whole response of a model, its tokens, and its cost in US dollars. */
export interface ChatResponse extends ChatSpend {
  text: string;
}

/** The response of a model while it is generated: an async iterable of texts. It can be iterated once. */
export interface ChatStream extends AsyncIterable<string> {
  /**
   * The number of tokens of the request and the response. Undefined until the iteration has reached its end, and after an abort, a `break`
   * or an error.
   */
  readonly usage: TokenUsage | undefined;
  /** The cost of the request in US dollars; undefined at the same times as `usage`. */
  readonly cost: number | undefined;
}

/** Chats with a model (specification 4.5). */
export interface Ai {
  /**
   * Sends messages to a model and resolves with its whole response. Never retries.
   * @throws QuotaExceededError with `QUOTA_EXCEEDED` (`scope` names the cap) or `BODY_TOO_LARGE`; EaselError with `MODEL_NOT_ALLOWED`,
   * `PERMISSION_DENIED`, `RATE_LIMITED`, `AI_UPSTREAM_ERROR`, `AI_STREAM_TRUNCATED`; the reason of the `signal` if that was aborted.
   * @example const { text, cost } = await easel.ai.chat([{ role: "user", content: "Name a tea." }], { model });
   */
  chat(messages: readonly ChatMessage[], options: ChatOptions): Promise<ChatResponse>;
  /**
   * Returns the response of a model as an async iterable of texts. The request is sent when the iteration begins; a stream that is never
   * iterated sends nothing and costs nothing. A `break` stops the model. Never retries.
   * @throws The errors of `chat`, while it is iterated.
   * @example for await (const text of easel.ai.stream([{ role: "user", content: "Name a tea." }], { model })) show(text);
   */
  stream(messages: readonly ChatMessage[], options: ChatOptions): ChatStream;
}

/** Creates `easel.ai`. */
export function createAi(api: Api): Ai {
  /**
   * Encodes the request at once, so that later changes of `messages` have no effect on it. Returns a generator of the texts of the
   * response, which sends the request when its iteration begins.
   */
  const respond = (messages: readonly ChatMessage[], { model, system, maxTokens, signal }: ChatOptions) => {
    const body = toJson({ model, messages, system, maxTokens });
    const headers = { "content-type": "application/json" };
    const send = () => api.send("POST", "/ai/chat", { body, headers, signal: signal ?? null });
    return deltas(send, signal);
  };

  return {
    async chat(messages, options) {
      const response = respond(messages, options);
      for (let text = ""; ; ) {
        const { done, value } = await response.next();
        if (done) return { text, ...value };
        text += value;
      }
    },

    stream(messages, options) {
      const response = respond(messages, options);
      let iterated = false;
      let spend: ChatSpend | undefined;
      const iterate = async function* () {
        spend = yield* response;
      };
      return {
        [Symbol.asyncIterator]() {
          if (iterated)
            throw new EaselError({
              status: 0,
              message: "A stream can be iterated once. For another response, call easel.ai.stream again.",
            });
          iterated = true;
          return iterate();
        },
        get usage() {
          return spend?.usage;
        },
        get cost() {
          return spend?.cost;
        },
      };
    },
  };
}
