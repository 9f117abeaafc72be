import assert from "node:assert/strict";
import { it } from "node:test";
import { callAmounts, grantWords, testWords } from "./words.ts";

const GRANT = { canvasId: "a", slug: "a", title: "A", public: false, guests: false, limits: {} };

it("who may use a Connection on a canvas is said with the limits of guests and visitors", () => {
  assert.equal(grantWords(GRANT), "Members");
  assert.equal(grantWords({ ...GRANT, guests: true }), "Members and guests");
  const limits = { paths: ["/a", "/b"], methods: ["GET" as const, "HEAD" as const], requestsPerDay: 1 };
  assert.equal(
    grantWords({ ...GRANT, guests: true, public: true, limits }),
    "Members, guests and visitors of the public link; these: only GET and HEAD, only 2 paths and 1 request a day",
  );
});

it("a test call is told by its status, size and time, or by what went wrong", () => {
  assert.equal(
    testWords({ status: 200, message: null, ms: 1200, bytes: 2048 }),
    "The server answered 200 with 2 KB in 1,200 ms.",
  );
  assert.equal(
    testWords({ status: null, message: "It is blocked.", ms: 3, bytes: 0 }),
    "It is blocked. (3 ms)",
  );
  assert.equal(testWords({ status: null, message: null, ms: 3, bytes: 0 }), "There was no response. (3 ms)");
});

it("a day of calls counts responses of broken servers as failed, too", () => {
  const day = {
    day: "2026-01-31",
    calls: 1_200,
    responses: { "2xx": 1_190, "4xx": 5, "5xx": 3 },
    failures: { UPSTREAM_TIMEOUT: 1, aborted: 1 },
    latency: { meanMs: 20, p50Ms: 20, p95Ms: 50 },
  };
  assert.deepEqual(callAmounts(day), ["1,200", "5", "20 ms"]);
  assert.deepEqual(callAmounts({ ...day, failures: {}, responses: {}, latency: null }), ["1,200", "0", "–"]);
});
