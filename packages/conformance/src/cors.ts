import assert from "node:assert/strict";
import type { Answer } from "./http.ts";

/** Asserts that the CORS headers let a page of `origin` read the response to a request that it has sent with cookies. */
export function readableFrom(answer: Answer, origin: string): void {
  assert.deepEqual(credentialed(answer), { origin, credentials: "true" });
  variesByOrigin(answer);
}

/** Asserts that no page of another origin can read the response. */
export function unreadable(answer: Answer): void {
  assert.deepEqual(credentialed(answer), { origin: undefined, credentials: undefined });
}

/** Asserts that a response has `Vary: Origin`. */
export function variesByOrigin(answer: Answer): void {
  assert.match(answer.headers.vary ?? "", /(^|,)\s*origin\s*(,|$)/i);
}

/** Asserts that a response has no CORS header. */
export function withoutCors(answer: Answer): void {
  const names = Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"));
  assert.deepEqual(names, []);
}

function credentialed({ headers }: Answer) {
  return {
    origin: headers["access-control-allow-origin"],
    credentials: headers["access-control-allow-credentials"],
  };
}
