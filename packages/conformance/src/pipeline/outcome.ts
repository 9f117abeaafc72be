import assert from "node:assert/strict";
import type { ErrorCode } from "@easel/protocol/errors";
import type { CanvasRole } from "@easel/protocol/types";
import type { Answer } from "../http.ts";
import { refused } from "../refusal.ts";

/** What comes of `GET /me`: the role with which somebody is in, or how they are refused. */
export type Outcome = CanvasRole | [status: number, code: ErrorCode];

/** The answer to `GET /me` is this outcome. */
export function came(answer: Answer, outcome: Outcome): void {
  if (typeof outcome === "string") {
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.canvasRole, outcome);
  } else {
    refused(answer, ...outcome);
  }
}
