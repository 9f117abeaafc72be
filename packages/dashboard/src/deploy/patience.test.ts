import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, isPassing, SignedOut } from "../api/api-error.ts";
import { noteSignedIn, noteSignedOut } from "../api/session.ts";
import { patiently, pauseOf } from "./patience.ts";

const refusal = (status: number, code = "", retryAfter: number | null = null) =>
  new ApiError(status, { code }, retryAfter);

const patienceOf = (signal = new AbortController().signal) => {
  const waits: (string | null)[] = [];
  return { waits, patience: { signal, onWait: (reason: string | null) => waits.push(reason) } };
};

test("only what may succeed later is sent again", () => {
  assert.ok(isPassing(refusal(429, "RATE_LIMITED"), false));
  assert.ok(isPassing(refusal(0), true));
  assert.ok(isPassing(refusal(503, "UNAVAILABLE", 1), true));
  assert.ok(!isPassing(refusal(0), false), "it may have been received");
  assert.ok(!isPassing(refusal(429, "QUOTA_EXCEEDED"), true));
  assert.ok(!isPassing(refusal(409, "SLUG_TAKEN"), true));
});

test("a pause is what the service asks for, else it grows", () => {
  assert.equal(pauseOf(3, 1), 3_000);
  assert.deepEqual(
    [1, 2, 3, 20].map((tries) => pauseOf(null, tries)),
    [500, 1_000, 2_000, 30_000],
  );
});

test("a busy service is asked again, and the wait is told", async () => {
  const { waits, patience } = patienceOf();
  let tries = 0;
  const result = await patiently(async () => {
    tries += 1;
    if (tries < 3) throw refusal(429, "RATE_LIMITED", 0.001);
    return "done";
  }, patience);
  assert.deepEqual([result, tries], ["done", 3]);
  assert.match(String(waits[0]), /busy/);
  assert.equal(waits.at(-1), null);
});

test("after the end of a session, the request waits for the next one", async () => {
  const { waits, patience } = patienceOf();
  noteSignedOut();
  let tries = 0;
  const sent = patiently(async () => {
    tries += 1;
    if (tries === 1) {
      setTimeout(noteSignedIn);
      throw new SignedOut();
    }
    return tries;
  }, patience);
  assert.equal(await sent, 2);
  assert.match(String(waits[0]), /signed in again/);
});

test("a stop ends the wait", async () => {
  const stop = new AbortController();
  const { patience } = patienceOf(stop.signal);
  const reason = new Error("stopped");
  const sent = patiently(async () => {
    setTimeout(() => stop.abort(reason));
    throw refusal(503, "UNAVAILABLE", 60);
  }, patience);
  await assert.rejects(sent, reason);
});
