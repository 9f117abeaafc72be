import assert from "node:assert/strict";
import type { ErrorCode } from "@easel/protocol/errors";
import type { Answer } from "./http.ts";
import type { Target } from "./target.ts";

/** The answer is this refusal, in the one shape of all refusals (specification 7). */
export function refused(answer: Answer, status: number, code: ErrorCode): void {
  assert.deepEqual(
    { status: answer.status, code: answer.json.code },
    { status, code },
    answer.text.slice(0, 300),
  );
  described(answer);
}

/** The answer is a JSON error with code, message and request id. */
export function described(answer: Answer): void {
  assert.match(answer.headers["content-type"] ?? "", /^application\/json\b/);
  for (const field of ["code", "message", "requestId"]) {
    const value = answer.json[field];
    assert.ok(typeof value === "string" && value !== "", `${field}: ${answer.text.slice(0, 300)}`);
  }
}

/** The answer is the gateway's: 401 with an `error` and no `code`, in oidc mode the way to the login route (specification 4.1, step 1). */
export function unauthenticated(answer: Answer, target?: Pick<Target, "authMode">): void {
  if (target?.authMode === "oidc") {
    signsIn(answer);
    return;
  }
  assert.equal(answer.status, 401, answer.text.slice(0, 300));
  assert.ok(typeof answer.json.error === "string" && answer.json.error !== "", answer.text);
  assert.equal("code" in answer.json, false, answer.text);
}

/** The answer leads to the login route. */
export function signsIn(answer: Answer): void {
  assert.equal(answer.status, 302, answer.text.slice(0, 300));
  const { pathname } = new URL(answer.headers.location ?? "", "http://service.example");
  assert.equal(pathname, "/auth/login");
}

/** The refusal has no field besides those of every refusal. */
export function plain(answer: Answer): void {
  assert.deepEqual(Object.keys(answer.json).sort(), ["code", "message", "requestId"]);
}

/** The answer is 200 with exactly this body. */
export function answered(answer: Answer, body: object): void {
  assert.equal(answer.status, 200, answer.text.slice(0, 300));
  assert.match(answer.headers["content-type"] ?? "", /^application\/json\b/);
  assert.deepEqual(answer.json, body);
}
