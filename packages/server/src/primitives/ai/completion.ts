import type { ChatEvent, SpendScope, TokenUsage } from "@easel/protocol/ai";
import { ERRORS } from "@easel/protocol/errors";
import type { Price } from "../../config/settings.ts";
import { type Ai, type FailureReason, type Prompt, ProviderFailure } from "../../drivers/ai/ai.ts";
import type { Env } from "../../env.ts";
import { costOf, highestCost, inputOf, toUsd } from "../../organisation/ai/cost.ts";
import { priceOf } from "../../organisation/ai/prices.ts";
import { type Outcome, type Reserved, reserve, settle } from "../../organisation/ai/reservations.ts";
import type { Spender } from "../../organisation/ai/spend-caps.ts";
import type { InstanceSettings } from "../../organisation/instance-settings.ts";
import { highestPromptTokens, TokenMeter } from "./token-meter.ts";

/** The messages of `error` events. They tell nothing of the provider's response. */
const MESSAGES: Record<FailureReason, string> = {
  busy: "The AI provider is busy. Try again in a minute.",
  timeout: "The AI provider took too long.",
  failed: ERRORS.AI_UPSTREAM_ERROR.message,
};

/**
 * Reserves the highest possible cost of a request to a model, and returns the request. If a cap is used up, returns its scope. `price` is
 * that of the highest possible number of input tokens.
 */
export async function begin(
  prompt: Prompt,
  { spender, price, settings, ai }: { spender: Spender; price: Price; settings: InstanceSettings; ai: Ai },
  env: Env,
): Promise<Completion | SpendScope> {
  const amount = highestCost(highestPromptTokens(prompt), prompt.maxTokens, price);
  const request = await reserve(spender, { model: prompt.model, amount }, settings, env);
  return typeof request === "string" ? request : new Completion(prompt, request, ai, env);
}

/** A running request to a model. Passes the response on as events, and records the cost exactly once, when the request ends. */
export class Completion {
  readonly #prompt: Prompt;
  readonly #request: Reserved;
  readonly #ai: Ai;
  readonly #env: Env;
  readonly #meter: TokenMeter;
  readonly #abort = new AbortController();
  /** Whether the provider may have received the request. */
  #sent = false;
  /** Whether a piece of text waits for the client, so that the provider may be ahead of what was read from it. */
  #behind = false;
  #settled: Promise<number> | null = null;

  constructor(prompt: Prompt, request: Reserved, ai: Ai, env: Env) {
    this.#prompt = prompt;
    this.#request = request;
    this.#ai = ai;
    this.#env = env;
    this.#meter = new TokenMeter(prompt, ai.tellsInputFirst);
  }

  /** Yields the events of the response. Records the cost before the last event, `done` or `error`. */
  async *events(): AsyncGenerator<ChatEvent> {
    const { signal } = this.#abort;
    if (signal.aborted) return;
    this.#sent = true;
    try {
      for await (const part of this.#ai.stream(this.#prompt, signal)) {
        this.#meter.add(part);
        if (part.type !== "text") continue;
        this.#behind = true;
        yield { type: "delta", text: part.text };
        this.#behind = false;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ProviderFailure)) throw error;
      const { reason, message, processed } = error;
      this.#sent = processed;
      if (reason === "timeout") this.#meter.miss();
      this.#env.log.warn({ request: this.#request.id, reason }, `the AI provider failed: ${message}`);
      await this.#settle("failed");
      yield { type: "error", code: "AI_UPSTREAM_ERROR", message: MESSAGES[reason] };
      return;
    }
    const cost = await this.#settle("done");
    yield { type: "done", usage: this.#meter.read().usage, cost: toUsd(cost) };
  }

  /** Closes the connection to the provider. If the request is still running, records its cost as that of an aborted request. */
  async end(): Promise<void> {
    if (this.#settled === null) {
      this.#abort.abort();
      if (this.#behind) this.#meter.miss();
    }
    await this.#settle("aborted");
  }

  /** Records the outcome and the cost of the request; does so only the first time. Returns the cost in billionths of a US dollar. */
  #settle(outcome: Outcome): Promise<number> {
    this.#settled ??= this.#record(outcome);
    return this.#settled;
  }

  async #record(outcome: Outcome): Promise<number> {
    if (!this.#sent) {
      await settle(this.#request, { outcome, cost: 0 }, this.#env);
      return 0;
    }
    const { usage, inputTold } = this.#meter.read();
    const cost = this.#costOf(usage, inputTold);
    await settle(this.#request, { outcome, usage, cost }, this.#env);
    return cost;
  }

  /** Returns the cost of the request. If the provider has not told the input, it may have written all of it to its cache. */
  #costOf(usage: TokenUsage, inputTold: boolean): number {
    const price = priceOf(this.#prompt.model, inputOf(usage), this.#env.config);
    if (price === null) return this.#request.reserved;
    return inputTold ? costOf(usage, price) : highestCost(inputOf(usage), usage.outputTokens, price);
  }
}
