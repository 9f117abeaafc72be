import assert from "node:assert/strict";
import type { Answer } from "./http.ts";
import { refused } from "./refusal.ts";

const PATIENCE = 1_000;

/**
 * The result of emptying a rate-limit bucket: how many requests passed, the limit that the service named, and the response that refused the
 * next request.
 */
export interface Spent {
  passed: number;
  limit: number;
  refusal: Answer;
}

/** Repeats a request until the rate limit refuses it. If `status` is given, asserts that all earlier responses have this status. */
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
