import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CapabilityDisabledError,
  EaselError,
  NotAuthenticatedError,
  NotFoundError,
  QuotaExceededError,
} from "../src/index.ts";
import { aiOf, assertFails, DONE, delta, line, MESSAGES, MODEL, openResponse } from "./fake-chat.ts";

test("errors before the stream have the usual classes", async () => {
  const rows: [
    status: number,
    code: string,
    type: new (...failure: never[]) => EaselError,
    fields?: object,
  ][] = [
    [413, "BODY_TOO_LARGE", QuotaExceededError],
    [400, "INVALID_BODY", EaselError],
    [401, "NOT_AUTHENTICATED", NotAuthenticatedError],
    [403, "MODEL_NOT_ALLOWED", EaselError],
    [403, "GUEST_AI_DISABLED", EaselError],
    [429, "GUEST_AI_CAP", QuotaExceededError, { scope: "guest" }],
    [403, "PERMISSION_DENIED", EaselError],
    [429, "QUOTA_EXCEEDED", QuotaExceededError, { scope: "user_daily" }],
    [403, "CAPABILITY_DISABLED", CapabilityDisabledError, { reason: "operator_disabled" }],
    [404, "NOT_FOUND", NotFoundError],
    [429, "RATE_LIMITED", EaselError],
  ];
  for (const [status, code, type, fields = {}] of rows)
    await assertFails(
      () => Response.json({ code, message: "m", ...fields }, { status }),
      (error) => {
        assert.equal(error.constructor, type, code);
        assert.deepEqual([error.code, error.status, error.message], [code, status, "m"]);
        assert.partialDeepStrictEqual({ ...error }, fields);
      },
    );
});

test("a connection that fails before the response is REQUEST_FAILED", async () => {
  const cause = new TypeError("Failed to fetch");
  await assertFails(
    () => Promise.reject(cause),
    (error) => assert.deepEqual([error.code, error.status, error.cause], ["REQUEST_FAILED", 0, cause]),
  );
});

test("a response without a body is NO_STREAM", async () => {
  await assertFails(
    () => new Response(null),
    (error) =>
      assert.deepEqual([error.constructor, error.code, error.status], [EaselError, "NO_STREAM", 502]),
  );
});

test("data that is not an event of a chat is MALFORMED_FRAME, and closes the request", async () => {
  const wrong = [
    "<h1>Tea</h1>",
    '{"type":"delta","text":"Te',
    "null",
    "7",
    "[]",
    "{}",
    '{"type":"delta"}',
    '{"type":"delta","text":7}',
    '{"type":"done"}',
    '{"type":"done","cost":1}',
    '{"type":"done","cost":1,"usage":null}',
    '{"type":"done","cost":"1","usage":{}}',
    '{"type":"ping"}',
    "",
  ];
  for (const data of wrong)
    await assertFails(
      () => new Response(`${line(delta("Tea."))}data: ${data}\n\n${line(DONE)}`),
      (error) => {
        assert.deepEqual([error.constructor, error.code, error.status], [EaselError, "MALFORMED_FRAME", 502]);
      },
    );
  const { response, send, seen } = openResponse();
  send({ type: "ping" });
  await assert.rejects(aiOf(() => response).ai.chat(MESSAGES, MODEL), { code: "MALFORMED_FRAME" });
  assert.ok(seen.cancelled);
});

test("a stream that ends early is AI_STREAM_TRUNCATED, after its deltas", async () => {
  const cuts = ["", ": keep-alive\n\n", "<h1>Sign in</h1>", line(DONE).slice(0, -4), "data: {", "data"];
  for (const end of cuts) {
    const answer = () => new Response(line(delta("Te")) + end);
    await assertFails(answer, (error) =>
      assert.deepEqual(
        [error.constructor, error.code, error.status],
        [EaselError, "AI_STREAM_TRUNCATED", 502],
        end,
      ),
    );
    const texts = aiOf(answer).ai.stream(MESSAGES, MODEL)[Symbol.asyncIterator]();
    assert.equal((await texts.next()).value, "Te");
  }
});

test("a connection that breaks in mid-stream is AI_STREAM_TRUNCATED with its cause", async () => {
  const cause = new TypeError("network error");
  const { response, send, fail } = openResponse();
  const texts = aiOf(() => response)
    .ai.stream(MESSAGES, MODEL)
    [Symbol.asyncIterator]();
  send(delta("Te"));
  assert.equal((await texts.next()).value, "Te");
  fail(cause);
  await assert.rejects(texts.next(), (error: EaselError) => {
    assert.deepEqual([error.code, error.status, error.cause], ["AI_STREAM_TRUNCATED", 502, cause]);
    return true;
  });
});

test("error events in mid-stream have the classes and statuses of specification 7", async () => {
  const rows: [
    event: object,
    type: new (...failure: never[]) => EaselError,
    code: string,
    status: number,
    message: string | RegExp,
  ][] = [
    [
      { code: "CAPABILITY_DISABLED", message: "m", hint: "Ask.", reason: "feature_off" },
      CapabilityDisabledError,
      "CAPABILITY_DISABLED",
      403,
      "Ask.",
    ],
    [{ code: "QUOTA_EXCEEDED", message: "m" }, QuotaExceededError, "QUOTA_EXCEEDED", 429, "m"],
    [{ code: "GUEST_AI_CAP", message: "m" }, QuotaExceededError, "GUEST_AI_CAP", 429, "m"],
    [{ code: "AI_UPSTREAM_ERROR", message: "m" }, EaselError, "AI_UPSTREAM_ERROR", 502, "m"],
    [{ code: "KEY_LIMIT", message: "m" }, EaselError, "KEY_LIMIT", 502, "m"],
    [{ code: "PUBLISH_FAILED", message: "m" }, EaselError, "PUBLISH_FAILED", 502, "m"],
    [{ code: "constructor", message: "m" }, EaselError, "constructor", 502, "m"],
    [{ message: "m" }, EaselError, "AI_ERROR", 502, "m"],
    [{ code: 7, message: {} }, EaselError, "AI_ERROR", 502, /failed/],
    [{}, EaselError, "AI_ERROR", 502, /failed/],
  ];
  for (const [event, type, code, status, message] of rows)
    await assertFails(
      () => new Response(line(delta("Te")) + line({ type: "error", ...event }) + line(DONE)),
      (error) => {
        assert.deepEqual([error.constructor, error.code, error.status], [type, code, status]);
        assert.match(error.message, typeof message === "string" ? new RegExp(`^${message}$`) : message);
      },
    );
});
