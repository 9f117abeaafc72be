import assert from "node:assert/strict";
import type { Answer } from "./http.ts";
import { refused } from "./refusal.ts";

const PATIENCE = 1_000;

/** A spent bucket: how many requests passed, and what the refusal says of the limit. */
export interface Spent {
  passed: number;
  limit: number;
  refusal: Answer;
}

/** Asks until the service says no; every answer before that has `status`, where one is given. */
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
