import assert from "node:assert/strict";
import type { Json } from "@easel/protocol/types";
import type { Answer } from "../http.ts";

/** A submission as the API returns it (specification 2). */
export interface Submission {
  userId: string;
  value: Json;
  updatedAt: number;
}

/** Asserts that a response is 200 with a submission of exactly three fields, and returns the submission. */
export function answerOf({ status, headers, text, json }: Answer): Submission {
  assert.equal(status, 200, text.slice(0, 300));
  assert.match(headers["content-type"] ?? "", /^application\/json\b/);
  assert.deepEqual(Object.keys(json).sort(), ["updatedAt", "userId", "value"]);
  assert.ok(Number.isInteger(json.updatedAt), text.slice(0, 300));
  return json as unknown as Submission;
}
