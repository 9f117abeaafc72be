import type { ChatEvent } from "@easel/protocol/ai";
import { ERRORS } from "@easel/protocol/errors";
import { type Ai, type FailureReason, type Prompt, ProviderFailure } from "../../drivers/ai/ai.ts";
import type { Env } from "../../env.ts";
import { costOf, inputOf, toUsd } from "../../organisation/ai/cost.ts";
import { priceOf } from "../../organisation/ai/prices.ts";
import { type Outcome, type Reserved, settle } from "../../organisation/ai/requests.ts";
import { TokenMeter } from "./token-meter.ts";

/** The messages of `error` events. They tell nothing of the provider's response. */
const MESSAGES: Record<FailureReason, string> = {
  busy: "The AI provider is busy. Try again in a minute.",
  timeout: "The AI provider took too long.",
  failed: ERRORS.AI_UPSTREAM_ERROR.message,
};

/** A response of a model while it is streamed: its events, and its settlement, which happens exactly once. */
export class Completion {
  readonly #prompt: Prompt;
  readonly #request: Reserved;
  readonly #ai: Ai;
  readonly #env: Env;
  readonly #meter: TokenMeter;
  readonly #abort = new AbortController();
  #settled: Promise<number> | null = null;

  constructor(prompt: Prompt, request: Reserved, ai: Ai, env: Env) {
    this.#prompt = prompt;
    this.#request = request;
    this.#ai = ai;
    this.#env = env;
    this.#meter = new TokenMeter(prompt);
  }

  /** Yields the events. The last one follows when the request is settled. */
  async *events(): AsyncGenerator<ChatEvent> {
    const { signal } = this.#abort;
    try {
      for await (const part of this.#ai.stream(this.#prompt, signal)) {
        this.#meter.add(part);
        if (part.type === "text") yield { type: "delta", text: part.text };
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ProviderFailure)) throw error;
      const { reason, message } = error;
      this.#env.log.warn({ request: this.#request.id, reason }, `the AI provider failed: ${message}`);
      await this.#settle("failed");
      yield { type: "error", code: "AI_UPSTREAM_ERROR", message: MESSAGES[reason] };
      return;
    }
    const cost = await this.#settle("done");
    yield { type: "done", usage: this.#meter.usage, cost: toUsd(cost) };
  }

  /** Closes the connection to the provider, and settles the request as aborted unless it has ended. */
  async end(): Promise<void> {
    this.#abort.abort();
    await this.#settle("aborted");
  }

  /** Settles the request, once. Returns its cost in billionths of a US dollar. */
  #settle(outcome: Outcome): Promise<number> {
    this.#settled ??= this.#record(outcome);
    return this.#settled;
  }

  async #record(outcome: Outcome): Promise<number> {
    const { usage } = this.#meter;
    const price = priceOf(this.#prompt.model, inputOf(usage), this.#env.config);
    const cost = price === null ? this.#request.reserved : costOf(usage, price);
    await settle(this.#request, { outcome, usage, cost }, this.#env);
    return cost;
  }
}
