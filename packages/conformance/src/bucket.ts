import assert from "node:assert/strict";
import type { Answer } from "./http.ts";
import { refused } from "./refusal.ts";

const PATIENCE = 1_000;

/** How many requests passed before the rate limit refused one, the limit that the refusal names in `X-RateLimit-Limit`, and the refusal. */
export interface Spent {
  passed: number;
  limit: number;
  refusal: Answer;
}

/**
 * Calls `ask`, which sends a request, until the rate limit refuses a request. `ask` gets the number of earlier requests. If `status` is
 * given, asserts that every response before the refusal has this status.
 */
export async function spend(ask: (turn: number) => Promise<Answer>, status?: number): Promise<Spent> {
  for (let passed = 0; passed <= PATIENCE; passed++) {
    const answer = await ask(passed);
    if (answer.status === 429) {
      refused(answer, 429, "RATE_LIMITED");
      return { passed, limit: Number(answer.headers["x-ratelimit-limit"]), refusal: answer };
    }
    if (status) assert.equal(answer.status, status, answer.text);
  }
  return assert.fail(`no RATE_LIMITED within ${PATIENCE} requests`);
}
