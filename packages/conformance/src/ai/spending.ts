import assert from "node:assert/strict";
import type { SpendScope } from "@easel/protocol/ai";
import type { Usage } from "@easel/protocol/management";
import { manage, type Stage } from "../fixture.ts";
import type { Answer } from "../http.ts";
import { open, type Page } from "../page.ts";
import { refused } from "../refusal.ts";
import type { Person, Target } from "../target.ts";
import { askFor, doneOf } from "./chat.ts";
import type { Step } from "./script.ts";

/** The price of one output token of `MODEL`, in US dollars. */
export const TOKEN_USD = 0.00001;

/**
 * Returns a step that completes the response of the stand-in provider and reports this number of output tokens. The service computes the
 * cost of the response from this number.
 */
export const ending = (outputTokens: number): Step => ({ end: { inputTokens: 0, outputTokens } });

/** Returns the number of output tokens of `MODEL` that cost this many US dollars. */
export const tokensFor = (usd: number): number => Math.round(usd / TOKEN_USD);

/** Sends one chat request that costs `usd` US dollars, and asserts its cost. */
export async function spendUsd(page: Page, usd: number): Promise<void> {
  const { cost } = doneOf(await askFor(page, [ending(tokensFor(usd))]));
  assert.equal(cost, usd);
}

/**
 * Sends one chat request of a person that costs 9,000 US dollars, more than any spend cap of the instance. After that, every spend cap of
 * the person and of the canvas is used up.
 */
export const exhaust = (target: Target, { slug }: Stage, person: Person): Promise<void> =>
  spendUsd(open(target, slug, person), 9_000);

/** Asserts that a chat request is refused because a spend cap is used up. `scope` says which cap, such as `guest`. */
export function overCap(answer: Answer, scope: SpendScope): void {
  refused(answer, 429, scope === "guest" ? "GUEST_AI_CAP" : "QUOTA_EXCEEDED");
  assert.equal(answer.json.scope, scope);
  assert.deepEqual(Object.keys(answer.json).sort(), ["code", "message", "requestId", "scope"]);
}

/** Requests `GET /api/canvases/{id}/usage` as the owner of a canvas, and returns the body of the response. */
export async function usageOf(target: Target, { id, people }: Stage): Promise<Usage> {
  const answer = await manage(target, people.owner, "GET", `/api/canvases/${id}/usage`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json as unknown as Usage;
}
