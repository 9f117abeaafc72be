import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CapabilityDisabledError,
  EaselError,
  isCapabilityDisabled,
  isEaselError,
  isNotAuthenticated,
  isNotFound,
  isPublishFailed,
  isQuotaExceeded,
  isUpdatePartial,
  NotAuthenticatedError,
  NotFoundError,
  PublishFailedError,
  QuotaExceededError,
  UpdatePartialError,
} from "../src/index.ts";

const ROWS = [
  [isNotAuthenticated, NotAuthenticatedError],
  [isCapabilityDisabled, CapabilityDisabledError],
  [isNotFound, NotFoundError],
  [isQuotaExceeded, QuotaExceededError],
  [isPublishFailed, PublishFailedError],
  [isUpdatePartial, UpdatePartialError],
] as const;

const FIELDS = { code: "NOT_FOUND", status: 404, requestId: undefined, retryAfter: undefined };

/** Returns an error as another copy of the SDK would throw it: with the same `name`, but of another class. */
const foreign = (name: string) => Object.assign(new Error("m"), { ...FIELDS, name });

for (const [guard, type] of ROWS) {
  test(`the guard of ${type.name} is true for these errors and no other value`, () => {
    for (const [, each] of ROWS) {
      assert.equal(guard(new each({ status: 500 })), each === type);
      assert.equal(guard(foreign(each.name)), each === type);
    }
    const others = [new EaselError({ status: 500 }), new Error("m"), undefined, null, type, type.name];
    for (const other of [...others, { name: type.name }]) assert.equal(guard(other), false);
  });
}

test("isEaselError is true for every error of the SDK, and with a code only for those that have it", () => {
  for (const [, type] of ROWS) assert.ok(isEaselError(new type({ status: 500 })));
  const limited = new EaselError({ status: 429, code: "RATE_LIMITED" });
  for (const error of [limited, foreign("EaselError")]) assert.ok(isEaselError(error));
  assert.ok(isEaselError(limited, "RATE_LIMITED"));
  assert.ok(!isEaselError(limited, "NOT_FOUND"));
  const others = [
    new Error("m"),
    Object.assign(new Error("m"), { code: "ENOENT" }),
    undefined,
    null,
    "m",
    {},
  ];
  for (const other of others) assert.ok(!isEaselError(other));
});
