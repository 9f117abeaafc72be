import assert from "node:assert/strict";
import type { DisabledReason } from "@easel/protocol/capabilities";
import type { ErrorCode } from "@easel/protocol/errors";
import type { Answer } from "./http.ts";
import type { Target } from "./target.ts";

/** Asserts that a response is an error with this status and code, in the format of all errors (specification 7). */
export function refused(answer: Answer, status: number, code: ErrorCode): void {
  assert.deepEqual(
    { status: answer.status, code: answer.json.code },
    { status, code },
    answer.text.slice(0, 300),
  );
  described(answer);
}

/** Asserts that a response is a JSON error with code, message and request id. */
export function described(answer: Answer): void {
  assert.match(answer.headers["content-type"] ?? "", /^application\/json\b/);
  for (const field of ["code", "message", "requestId"]) {
    const value = answer.json[field];
    assert.ok(typeof value === "string" && value !== "", `${field}: ${answer.text.slice(0, 300)}`);
  }
}

/**
 * Asserts that a response refuses a request without a session: 401 with `error` and without `code`, or in oidc mode a redirect to the login
 * route (specification 4.1, step 1).
 */
export function unauthenticated(answer: Answer, target?: Pick<Target, "authMode">): void {
  if (target?.authMode === "oidc") {
    signsIn(answer);
    return;
  }
  assert.equal(answer.status, 401, answer.text.slice(0, 300));
  assert.ok(typeof answer.json.error === "string" && answer.json.error !== "", answer.text);
  assert.equal("code" in answer.json, false, answer.text);
}

/** Asserts that a response is a redirect to the login route. */
export function signsIn(answer: Answer): void {
  assert.equal(answer.status, 302, answer.text.slice(0, 300));
  const { pathname } = new URL(answer.headers.location ?? "", "http://service.example");
  assert.equal(pathname, "/auth/login");
}

/** Asserts that a response is the refusal of a capability that is off, with this reason. */
export function disabled(answer: Answer, capability: string, reason: DisabledReason): void {
  refused(answer, 403, "CAPABILITY_DISABLED");
  const { json } = answer;
  assert.deepEqual(
    { capability: json.capability, backendEnabled: json.backendEnabled, reason: json.reason },
    { capability, backendEnabled: reason !== "backend_off", reason },
  );
  assert.ok(typeof json.hint === "string" && json.hint !== "", answer.text);
}

/** Asserts that a response is 405 and allows these methods. It may allow HEAD and OPTIONS, too. */
export function wrongMethod(answer: Answer, allowed: string[]): void {
  refused(answer, 405, "METHOD_NOT_ALLOWED");
  const names = String(answer.headers.allow).split(",");
  const given = new Set(names.map((name) => name.trim()));
  for (const name of ["HEAD", "OPTIONS"]) given.delete(name);
  assert.deepEqual([...given].sort(), allowed.toSorted());
}

/** Asserts that a refusal has no fields besides `code`, `message`, `requestId` and, if the code is `STATIC_ONLY`, `signedIn`. */
export function plain({ json }: Answer): void {
  const more = json.code === "STATIC_ONLY" ? ["signedIn"] : [];
  assert.deepEqual(Object.keys(json).sort(), ["code", "message", "requestId", ...more]);
}

/** Asserts that a response has `Cache-Control: private, no-store`. */
export function unshared({ headers }: Answer): void {
  assert.equal(headers["cache-control"], "private, no-store");
}

/** Asserts that a response is 200 with exactly this JSON body. */
export function answered(answer: Answer, body: object): void {
  assert.equal(answer.status, 200, answer.text.slice(0, 300));
  assert.match(answer.headers["content-type"] ?? "", /^application\/json\b/);
  assert.deepEqual(answer.json, body);
}
