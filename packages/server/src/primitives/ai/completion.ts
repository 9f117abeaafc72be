import type { ChatEvent, SpendScope, TokenUsage } from "@easel/protocol/ai";
import { ERRORS } from "@easel/protocol/errors";
import type { CanvasData } from "../../canvases/canvas-data.ts";
import type { Price } from "../../config/settings/ai-settings.ts";
import { type Ai, type FailureReason, type Part, type Prompt, ProviderFailure } from "../../drivers/ai/ai.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { costOf, highestCost, inputOf, priceOf, toUsd } from "../../organisation/ai/prices.ts";
import { type Outcome, type Reserved, reserve, settle } from "../../organisation/ai/reservations.ts";
import type { Spender } from "../../organisation/ai/spend-caps.ts";
import { DAY_MS, REPORT_DAYS, utcDay } from "../../organisation/days.ts";
import type { InstanceSettings } from "../../organisation/instance-settings.ts";

/**
 * The tables of AI: a row for each request, and for each spend cap a row with the sum spent. When a canvas is removed, the sums of people
 * are kept.
 */
export const aiData: CanvasData = {
  tables: { ai_requests: { key: ["id"] }, ai_spend: { key: ["scope", "subject", "period"] } },
  people: {
    ai_requests: {
      ids: ["user_id", "invited_by"],
      erased: "kept",
      exported: {
        part: "ai-requests",
        columns: [
          "id",
          "canvas_id",
          "model",
          "state",
          "started_at",
          "ended_at",
          "input_tokens",
          "output_tokens",
        ],
        order: ["id"],
      },
    },
    // The sums of days and months, from the requests.
    ai_spend: { ids: ["subject"], erased: "kept", exported: null },
  },
  cleanUps: [
    {
      what: "AI requests and sums of days and months",
      keptMs: REPORT_DAYS * DAY_MS,
      async remove(until, { db }) {
        await db.withReserve.run`delete from ai_requests where started_at < ${until} and lease is null`;
        await db.withReserve.run`delete from ai_spend where period <> '' and period < ${utcDay(until)}`;
      },
    },
  ],
};

const CAP_MESSAGES: Record<SpendScope, string> = {
  user_daily: "Your AI allowance for today (UTC) is used up.",
  canvas_monthly: "The AI allowance of this canvas for this month (UTC) is used up.",
  guest: "Your AI allowance as a guest is used up.",
  instance_monthly: "The AI allowance of this service for this month (UTC) is used up.",
};

const OF_INVITER = "The AI allowance of the person who invited you is used up for today (UTC).";

/** Throws 429 `GUEST_AI_CAP` or `QUOTA_EXCEEDED` with the `scope` of the cap that is used up. `guest` is whether the caller is a guest. */
export function refuseOverCap(scope: SpendScope, guest: boolean): never {
  const code = scope === "guest" ? "GUEST_AI_CAP" : "QUOTA_EXCEEDED";
  const message = guest && scope === "user_daily" ? OF_INVITER : CAP_MESSAGES[scope];
  return refuse(code, { scope, message }, 429);
}

/** The maximum number of tokens that a provider adds to each message, for example to mark its role. */
const TOKENS_PER_MESSAGE = 16;

/** The number of tokens that a provider may generate before it notices that the connection is closed: about two seconds of output. */
const TOKENS_IN_FLIGHT = 256;

const promptBytes = ({ system = "", messages }: Prompt): number =>
  messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), Buffer.byteLength(system));

/** Returns the highest number of tokens that a prompt can have: each token is at least one byte. */
export const highestPromptTokens = (prompt: Prompt): number =>
  promptBytes(prompt) + TOKENS_PER_MESSAGE * (prompt.messages.length + 1);

/** The tokens of a request. `inputTold` is false if those of the input are the highest possible number, in `inputTokens`. */
export interface Reading {
  usage: TokenUsage;
  inputTold: boolean;
}

/**
 * Counts the tokens of an AI request that was sent, while its response is streamed. Numbers that the provider has not told are the highest
 * possible ones, so that nobody gets work of the provider by aborting requests.
 */
export class TokenMeter {
  readonly #prompt: Prompt;
  readonly #tellsInputFirst: boolean;
  #input: TokenUsage | null = null;
  #final: TokenUsage | null = null;
  #ended = false;
  #outputBytes = 0;
  /** Whether there can be any number of output tokens besides the text that was received. */
  #hidden = false;

  constructor(prompt: Prompt, tellsInputFirst: boolean) {
    this.#prompt = prompt;
    this.#tellsInputFirst = tellsInputFirst;
  }

  add(part: Part): void {
    if (part.type === "end") {
      this.#ended = true;
      this.#final = part.usage;
    } else if (part.type === "input") this.#input = part.usage;
    else {
      this.#outputBytes += Buffer.byteLength(part.text);
      if (part.type === "thinking") this.#hidden = true;
    }
  }

  /** Notes that the provider may have generated output that was not read from the connection. */
  miss(): void {
    this.#hidden = true;
  }

  /** Returns the tokens so far. */
  read(): Reading {
    if (this.#final !== null) return { usage: this.#final, inputTold: true };
    const estimated = {
      inputTokens: highestPromptTokens(this.#prompt),
      cacheCreationInputTokens: 0,
      cacheReadInputTokens: 0,
    };
    return {
      usage: { ...(this.#input ?? estimated), outputTokens: this.#highestOutput() },
      inputTold: this.#input !== null,
    };
  }

  #highestOutput(): number {
    const { maxTokens } = this.#prompt;
    if (this.#hidden || (!this.#ended && !this.#tellsInputFirst)) return maxTokens;
    return Math.min(maxTokens, this.#outputBytes + (this.#ended ? 0 : TOKENS_IN_FLIGHT));
  }
}

/** The messages of `error` events. They tell nothing of the provider's response. */
const FAILURE_MESSAGES: Record<FailureReason, string> = {
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
class Completion {
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
      yield { type: "error", code: "AI_UPSTREAM_ERROR", message: FAILURE_MESSAGES[reason] };
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
      this.#measure(outcome, null, 0);
      return 0;
    }
    const { usage, inputTold } = this.#meter.read();
    const cost = this.#costOf(usage, inputTold);
    await settle(this.#request, { outcome, usage, cost }, this.#env);
    this.#measure(outcome, usage, cost);
    return cost;
  }

  #measure(outcome: Outcome, usage: TokenUsage | null, cost: number): void {
    const { model } = this.#prompt;
    const { aiRequests, aiTokens, aiCost } = this.#env.metrics;
    aiRequests.add(1, model, outcome);
    aiCost.add(toUsd(cost), model);
    if (usage === null) return;
    aiTokens.observe(inputOf(usage), model, "input");
    aiTokens.observe(usage.outputTokens, model, "output");
  }

  /** Returns the cost of the request. If the provider has not told the input, it may have written all of it to its cache. */
  #costOf(usage: TokenUsage, inputTold: boolean): number {
    const price = priceOf(this.#prompt.model, inputOf(usage), this.#env.config);
    if (price === null) return this.#request.reserved;
    return inputTold ? costOf(usage, price) : highestCost(inputOf(usage), usage.outputTokens, price);
  }
}
