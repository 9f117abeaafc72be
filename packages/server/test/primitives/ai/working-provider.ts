import { setTimeout as sleep } from "node:timers/promises";
import { anthropicWire } from "@easel/conformance/ai/anthropic-wire";
import { openaiWire } from "@easel/conformance/ai/openai-wire";
import type { TokenUsage } from "@easel/protocol/ai";

/** How the response of the provider ends, unless the client leaves before. */
export type Ending =
  | { type: "complete"; told: boolean }
  | { type: "status"; status: number }
  | { type: "unreachable" | "reset" | "error event" | "truncated" | "silence" };

/** A piece of output. It has at most as many tokens as bytes, except thinking, which is sent as a summary. */
export interface Piece {
  text: string;
  tokens: number;
  thinking: boolean;
}

/** What the provider does with one request. */
export interface Script {
  wire: "anthropic" | "openai";
  maxTokens: number;
  input: Omit<TokenUsage, "outputTokens">;
  pieces: Piece[];
  ending: Ending;
  /** The number of tokens that it generates unseen where the connection is closed before the end. */
  unseen: number;
}

/** The number of tokens that are on their way when a connection is closed. */
const IN_FLIGHT = 256;

/** Statuses of a gateway behind which the provider goes on. */
const WORKING = [408, 504, 524];

/** A stand-in for an AI provider without a network: plays a script for one request, and counts the tokens that it has worked on. */
export class WorkingProvider {
  readonly #script: Script;
  /** Whether the client has stopped reading, so that output fills the buffers of the connection. */
  clientStopped = false;
  /** Whether the client has closed the connection. */
  clientLeft = false;
  #thinking = false;
  #cut = false;
  readonly worked: TokenUsage = {
    inputTokens: 0,
    outputTokens: 0,
    cacheCreationInputTokens: 0,
    cacheReadInputTokens: 0,
  };

  constructor(script: Script) {
    this.#script = script;
  }

  readonly fetch: typeof fetch = async (_url, init) => {
    const { ending } = this.#script;
    const signal = init?.signal ?? new AbortController().signal;
    signal.throwIfAborted();
    if (ending.type === "unreachable") throw failure("ECONNREFUSED", "connect");
    if (ending.type === "status" && !WORKING.includes(ending.status)) return refusal(ending.status);
    Object.assign(this.worked, this.#script.input);
    if (ending.type === "status") {
      this.#workOn();
      return refusal(ending.status);
    }
    signal.addEventListener("abort", () => this.#workOn());
    if (ending.type === "reset" && this.#script.pieces.length === 0) {
      this.#workOn();
      throw failure("ECONNRESET", "read");
    }
    return new Response(this.#body(signal), { headers: { "content-type": "text/event-stream" } });
  };

  #generate(tokens: number): void {
    this.worked.outputTokens = Math.min(this.#script.maxTokens, this.worked.outputTokens + tokens);
  }

  /** Counts what the provider does unseen until it notices that nobody reads the response any more. Does so only the first time. */
  #workOn(): void {
    if (this.#cut) return;
    this.#cut = true;
    const { wire, ending, unseen } = this.#script;
    const unlimited =
      wire === "openai" ||
      this.clientStopped ||
      (ending.type === "silence" && !this.clientLeft) ||
      ending.type === "status" ||
      this.#thinking;
    this.#generate(unlimited ? unseen : Math.min(unseen, IN_FLIGHT));
  }

  #body(signal: AbortSignal): ReadableStream<Uint8Array> {
    const chunks = this.#chunks(signal);
    const bytes = new TextEncoder();
    return new ReadableStream(
      {
        async pull(controller) {
          try {
            const { done, value } = await chunks.next();
            if (done) controller.close();
            else controller.enqueue(bytes.encode(value));
          } catch (error) {
            controller.error(error);
          }
        },
      },
      { highWaterMark: 0 },
    );
  }

  async *#chunks(signal: AbortSignal): AsyncGenerator<string> {
    const { wire: name, maxTokens, input, pieces, ending } = this.#script;
    const outputTokens = Math.min(
      maxTokens,
      pieces.reduce((sum, { tokens }) => sum + tokens, 0),
    );
    const usage = { ...input, outputTokens };
    const wire = name === "anthropic" ? anthropicWire("m", usage) : openaiWire("m", usage);
    yield wire.begin();
    for (const { text, tokens, thinking } of pieces) {
      yield thinking ? wire.think(text) : wire.text(text);
      // Until then it is on its way, and belongs to what the provider has generated unseen.
      await sleep(0);
      signal.throwIfAborted();
      this.#generate(tokens);
      this.#thinking ||= thinking;
    }
    if (ending.type === "complete") {
      yield wire.end(ending.told);
      return;
    }
    if (ending.type === "silence") {
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      return;
    }
    this.#workOn();
    if (ending.type === "reset") throw failure("ECONNRESET", "read");
    if (ending.type === "error event") yield wire.error("overloaded");
  }
}

const refusal = (status: number) =>
  new Response('{"error":{"type":"api_error","message":"no"}}', {
    status,
    headers: { "content-type": "application/json" },
  });

const failure = (code: string, syscall: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code, syscall }) });
