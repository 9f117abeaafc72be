import assert from "node:assert/strict";
import type { ErrorCode } from "@easel/protocol/errors";
import type { CanvasRole } from "@easel/protocol/types";
import type { Answer } from "../http.ts";
import { refused } from "../refusal.ts";

/** The expected outcome of `GET /me`: the caller's role on the canvas, or the status and the code of the refusal. */
export type Outcome = CanvasRole | [status: number, code: ErrorCode];

/** Asserts that a response to `GET /me` has the expected outcome. */
export function came(answer: Answer, outcome: Outcome): void {
  if (typeof outcome === "string") {
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.canvasRole, outcome);
  } else {
    refused(answer, ...outcome);
  }
}
