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

/** The cost of one token of output of `MODEL`, in US dollars. */
export const TOKEN_USD = 0.00001;

/** Returns the end of a response that costs this number of tokens of output. */
export const ending = (outputTokens: number): Step => ({ end: { inputTokens: 0, outputTokens } });

/** Returns the number of tokens of output that cost this many US dollars. */
export const tokensFor = (usd: number): number => Math.round(usd / TOKEN_USD);

/** Spends US dollars with one request. */
export async function spendUsd(page: Page, usd: number): Promise<void> {
  const { cost } = doneOf(await askFor(page, [ending(tokensFor(usd))]));
  assert.equal(cost, usd);
}

/** Spends more than any cap of the instance with one request of a person, so that the person and the canvas have nothing left. */
export const exhaust = (target: Target, { slug }: Stage, person: Person): Promise<void> =>
  spendUsd(open(target, slug, person), 9_000);

/** Asserts that a request is refused because a cap is used up. */
export function overCap(answer: Answer, scope: SpendScope): void {
  refused(answer, 429, scope === "guest" ? "GUEST_AI_CAP" : "QUOTA_EXCEEDED");
  assert.equal(answer.json.scope, scope);
  assert.deepEqual(Object.keys(answer.json).sort(), ["code", "message", "requestId", "scope"]);
}

/** Returns the use of a canvas. */
export async function usageOf(target: Target, { id, people }: Stage): Promise<Usage> {
  const answer = await manage(target, people.owner, "GET", `/api/canvases/${id}/usage`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json as unknown as Usage;
}
