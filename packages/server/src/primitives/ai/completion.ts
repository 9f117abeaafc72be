import type { ChatEvent } from "@easel/protocol/ai";
import { ERRORS } from "@easel/protocol/errors";
import { type Ai, type FailureReason, type Prompt, ProviderFailure } from "../../drivers/ai/ai.ts";
import type { Env } from "../../env.ts";
import { costOf, inputOf, toUsd } from "../../organisation/ai/cost.ts";
import { priceOf } from "../../organisation/ai/prices.ts";
import { type Outcome, type Reserved, settle } from "../../organisation/ai/reservations.ts";
import { TokenMeter } from "./token-meter.ts";

/** The messages of `error` events. They tell nothing of the provider's response. */
const MESSAGES: Record<FailureReason, string> = {
  busy: "The AI provider is busy. Try again in a minute.",
  timeout: "The AI provider took too long.",
  failed: ERRORS.AI_UPSTREAM_ERROR.message,
};

/** A running request to a model. Passes the response on as events, and records the cost exactly once, when the request ends. */
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

  /** Yields the events of the response. Records the cost before the last event, `done` or `error`. */
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

  /** Closes the connection to the provider. If the request is still running, records its cost as that of an aborted request. */
  async end(): Promise<void> {
    if (this.#settled === null) this.#abort.abort();
    await this.#settle("aborted");
  }

  /** Records the outcome and the cost of the request; does so only the first time. Returns the cost in billionths of a US dollar. */
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
