import assert from "node:assert/strict";
import { it } from "node:test";
import { EaselError, NotFoundError } from "@easel/sdk";
import { ApiError, refusalOf } from "./api-error.ts";

it("a refusal is told alike, whether the management API or the SDK was refused", () => {
  const body = { code: "RATE_LIMITED", message: "Too many requests.", requestId: "r1" };
  const expected = { status: 429, code: "RATE_LIMITED", hint: null, requestId: "r1", retryAfter: 7 };
  const error = new EaselError({ ...body, status: 429, retryAfter: 7 });
  assert.deepEqual(refusalOf(error), expected);
  const { status, code, hint, requestId, retryAfter } = refusalOf(new ApiError(429, body, 7)) ?? {};
  assert.deepEqual({ status, code, hint, requestId, retryAfter }, expected);
});

it("what the SDK does not find has the code of the service, and a hint is not said twice", () => {
  assert.equal(refusalOf(new NotFoundError({ status: 404, code: "OWNER_ONLY" }))?.code, "OWNER_ONLY");
  assert.equal(refusalOf(new NotFoundError({ status: 404 }))?.code, "NOT_FOUND");
  const error = new EaselError({ status: 403, code: "X", message: "No.", hint: "Ask the owner." });
  assert.equal(error.message, "Ask the owner.");
  assert.equal(refusalOf(error)?.hint, null);
});

it("an error of the page itself is no refusal", () => {
  assert.equal(refusalOf(new TypeError("x is not a function")), null);
});
