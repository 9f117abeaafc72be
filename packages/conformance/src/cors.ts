import assert from "node:assert/strict";
import type { Answer } from "./http.ts";

/** The page of `origin` can read the answer, cookies included. */
export function readableFrom(answer: Answer, origin: string): void {
  assert.deepEqual(credentialed(answer), { origin, credentials: "true" });
  variesByOrigin(answer);
}

/** No page of another origin can read the answer. */
export function unreadable(answer: Answer): void {
  assert.deepEqual(credentialed(answer), { origin: undefined, credentials: undefined });
}

/** Caches keep answers to different origins apart. */
export function variesByOrigin(answer: Answer): void {
  assert.match(answer.headers.vary ?? "", /(^|,)\s*origin\s*(,|$)/i);
}

/** The answer has no CORS header at all. */
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
