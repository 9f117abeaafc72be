import assert from "node:assert/strict";
import { test } from "node:test";
import { ERRORS } from "@easel/protocol/errors";
import {
  CapabilityDisabledError,
  EaselError,
  NotAuthenticatedError,
  NotFoundError,
  PublishFailedError,
  QuotaExceededError,
  toError,
  UpdatePartialError,
} from "../src/errors.ts";

const current = { id: "c-1", version: "v-1" };
const off = { capability: "kv", backendEnabled: false, reason: "backend_off", hint: "Turn the backend on." };

/** A row of the test: status and body of a response, and the expected class, code, message and fields of the error. */
type Row = [
  status: number,
  body: unknown,
  type: typeof EaselError,
  code: string,
  message: string,
  fields?: object,
];

const rows: Record<string, Row[]> = {
  "1. every 401": [
    [401, { error: "Sign in first." }, NotAuthenticatedError, "NOT_AUTHENTICATED", "You are not signed in."],
    [401, undefined, NotAuthenticatedError, "NOT_AUTHENTICATED", "You are not signed in."],
    [401, { code: "NOT_AUTHENTICATED", message: "m" }, NotAuthenticatedError, "NOT_AUTHENTICATED", "m"],
    [401, { code: "PUBLISH_FAILED", message: "m" }, NotAuthenticatedError, "NOT_AUTHENTICATED", "m"],
    [401, { code: "QUOTA_EXCEEDED", message: "m" }, NotAuthenticatedError, "NOT_AUTHENTICATED", "m"],
  ],
  "2. 403 with CAPABILITY_DISABLED": [
    [
      403,
      { code: "CAPABILITY_DISABLED", message: "m", ...off },
      CapabilityDisabledError,
      "CAPABILITY_DISABLED",
      off.hint,
      { capability: "kv", reason: "backend_off", hint: off.hint },
    ],
    [403, { code: "CAPABILITY_DISABLED", message: "m" }, CapabilityDisabledError, "CAPABILITY_DISABLED", "m"],
    [409, { code: "CAPABILITY_DISABLED", message: "m" }, EaselError, "CAPABILITY_DISABLED", "m"],
    [
      404,
      { code: "CAPABILITY_DISABLED" },
      NotFoundError,
      "NOT_FOUND",
      "The service responded with status 404.",
    ],
  ],
  "3. 404 other than CONNECTION_NOT_GRANTED": [
    ...[
      "NOT_FOUND",
      "ARCHIVED",
      "NOT_INVITED",
      "OWNER_ONLY",
      "SHARE_EXPIRED",
      "COLLECTION_NOT_CONFIGURED",
    ].map((code): Row => [404, { code, message: "m" }, NotFoundError, "NOT_FOUND", "m", { reason: code }]),
    [
      404,
      undefined,
      NotFoundError,
      "NOT_FOUND",
      "The service responded with status 404.",
      { reason: undefined },
    ],
    [404, { code: "PUBLISH_FAILED", message: "m", id: "c-1" }, NotFoundError, "NOT_FOUND", "m"],
    [404, { code: "UPDATE_PARTIAL", message: "m" }, NotFoundError, "NOT_FOUND", "m"],
    [404, { code: "KEY_LIMIT", message: "m" }, NotFoundError, "NOT_FOUND", "m"],
    [404, { code: "CONNECTION_NOT_GRANTED", message: "m" }, EaselError, "CONNECTION_NOT_GRANTED", "m"],
    [403, { code: "OWNER_ONLY", message: "m" }, EaselError, "OWNER_ONLY", "m"],
  ],
  "4. PUBLISH_FAILED": [
    [
      502,
      { code: "PUBLISH_FAILED", message: "m", id: "c-1" },
      PublishFailedError,
      "PUBLISH_FAILED",
      "m",
      { id: "c-1" },
    ],
    [
      502,
      { code: "PUBLISH_FAILED", message: "m" },
      PublishFailedError,
      "PUBLISH_FAILED",
      "m",
      { id: undefined },
    ],
    [413, { code: "PUBLISH_FAILED", message: "m" }, PublishFailedError, "PUBLISH_FAILED", "m"],
  ],
  "5. UPDATE_PARTIAL": [
    [
      502,
      { code: "UPDATE_PARTIAL", message: "m", stage: "deploy", current },
      UpdatePartialError,
      "UPDATE_PARTIAL",
      "m",
      { stage: "deploy", current },
    ],
    [
      413,
      { code: "UPDATE_PARTIAL", message: "m", stage: "deploy" },
      UpdatePartialError,
      "UPDATE_PARTIAL",
      "m",
    ],
  ],
  "6. quotas, and every 413": [
    [429, { code: "QUOTA_EXCEEDED", message: "m" }, QuotaExceededError, "QUOTA_EXCEEDED", "m"],
    [409, { code: "QUOTA_EXCEEDED", message: "m" }, QuotaExceededError, "QUOTA_EXCEEDED", "m"],
    [429, { code: "GUEST_AI_CAP", message: "m" }, QuotaExceededError, "GUEST_AI_CAP", "m"],
    [409, { code: "KEY_LIMIT", message: "m" }, QuotaExceededError, "KEY_LIMIT", "m"],
    [429, { code: "CONNECTION_LIMIT", message: "m" }, QuotaExceededError, "CONNECTION_LIMIT", "m"],
    [429, { code: "CONNECTION_RATE_LIMIT", message: "m" }, QuotaExceededError, "CONNECTION_RATE_LIMIT", "m"],
    [413, { code: "VALUE_TOO_LARGE", message: "m" }, QuotaExceededError, "VALUE_TOO_LARGE", "m"],
    [
      413,
      { code: "INVALID_BODY", message: "bundle too large" },
      QuotaExceededError,
      "INVALID_BODY",
      "bundle too large",
    ],
    [413, undefined, QuotaExceededError, "REQUEST_FAILED", "The service responded with status 413."],
  ],
  "7. otherwise": [
    [429, { code: "RATE_LIMITED", message: "m" }, EaselError, "RATE_LIMITED", "m"],
    [403, { code: "PERMISSION_DENIED", message: "m" }, EaselError, "PERMISSION_DENIED", "m"],
    [
      403,
      { code: "STATIC_ONLY", message: "m", signedIn: true },
      EaselError,
      "STATIC_ONLY",
      "m",
      { signedIn: true },
    ],
    [
      400,
      { code: "INVALID_BODY", message: "m", field: "messages[0].role" },
      EaselError,
      "INVALID_BODY",
      "m",
      { field: "messages[0].role" },
    ],
    [409, { code: "NOT_NUMERIC", message: "m" }, EaselError, "NOT_NUMERIC", "m"],
    [500, { message: "m" }, EaselError, "REQUEST_FAILED", "m"],
    [502, undefined, EaselError, "REQUEST_FAILED", "The service responded with status 502."],
    [502, null, EaselError, "REQUEST_FAILED", "The service responded with status 502."],
    [502, "Bad gateway", EaselError, "REQUEST_FAILED", "The service responded with status 502."],
    [502, ["KEY_LIMIT"], EaselError, "REQUEST_FAILED", "The service responded with status 502."],
    [502, { code: 7, message: {} }, EaselError, "REQUEST_FAILED", "The service responded with status 502."],
  ],
};

for (const [title, answers] of Object.entries(rows)) {
  test(`error mapping ${title}`, () => {
    for (const [status, body, type, code, message, fields = {}] of answers) {
      const answer = `${status} ${JSON.stringify(body)}`;
      const error = toError(status, body);
      assert.equal(error.constructor, type, answer);
      assert.ok(error instanceof EaselError && error instanceof Error, answer);
      const { name, code: seen, status: kept, message: told } = error;
      assert.deepEqual(
        { name, code: seen, status: kept, message: told },
        { name: type.name, code, status, message },
        answer,
      );
      assert.partialDeepStrictEqual({ ...error }, fields, answer);
    }
  });
}

test("every code of the protocol is kept, except those of 404", () => {
  for (const [code, { status }] of Object.entries(ERRORS)) {
    const folded = status === 404 && code !== "CONNECTION_NOT_GRANTED";
    assert.equal(toError(status, { code }).code, folded ? "NOT_FOUND" : code);
  }
});

test("an error has the request id, and its stack begins with its name", () => {
  const error = toError(404, { code: "NOT_FOUND", message: "No such key.", requestId: "r-1" });
  assert.equal(error.requestId, "r-1");
  assert.match(String(error.stack), /^NotFoundError: No such key\./);
});

test("an error has the hint of the response and the seconds of `Retry-After`", () => {
  const answer = { code: "RATE_LIMITED", message: "m", hint: "h" };
  for (const [header, retryAfter] of [
    ["17", 17],
    ["0", 0],
    [null, undefined],
    [undefined, undefined],
    ["soon", undefined],
    ["Wed, 21 Oct 2026 07:28:00 GMT", undefined],
  ] as const) {
    const error = toError(429, answer, header);
    assert.deepEqual([error.retryAfter, error.hint, error.message], [retryAfter, "h", "h"]);
  }
});
