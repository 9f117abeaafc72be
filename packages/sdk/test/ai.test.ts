import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CapabilityDisabledError,
  type ChatStream,
  createEasel,
  EaselError,
  NotAuthenticatedError,
  NotFoundError,
  QuotaExceededError,
} from "../src/index.ts";
import { fakeFetch, page } from "./support.ts";

const USAGE = { inputTokens: 12, outputTokens: 2, cacheCreationInputTokens: 3, cacheReadInputTokens: 4 };
const DONE = { type: "done", usage: USAGE, cost: 0.0125 };
const MESSAGES = [{ role: "user" as const, content: "Name a tea." }];
const MODEL = { model: "m-1" };

const delta = (text: string) => ({ type: "delta", text });
const line = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;

/** A response whose body the test sends piece by piece. */
function openResponse() {
  const seen = { cancelled: false };
  let body: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      body = controller;
    },
    cancel: () => {
      seen.cancelled = true;
    },
  });
  const send = (...events: unknown[]) => body?.enqueue(new TextEncoder().encode(events.map(line).join("")));
  return { response: new Response(stream), send, fail: (cause: Error) => body?.error(cause), seen };
}

/** The SDK of a page whose chats get this response. */
function aiOf(answer: () => Response | Promise<Response>) {
  const { fetch, calls } = fakeFetch(answer);
  return { ...createEasel(page, fetch), calls };
}

const respond = (...parts: unknown[]) => aiOf(() => new Response(parts.map(line).join("")));

async function gather(stream: ChatStream): Promise<string[]> {
  const texts: string[] = [];
  for await (const text of stream) texts.push(text);
  return texts;
}

/** Both ways to get a response must fail with this error. */
async function assertFails(answer: () => Response | Promise<Response>, check: (error: EaselError) => void) {
  for (const run of ["chat", "stream"] as const) {
    const { ai, calls } = aiOf(answer);
    const stream = ai.stream(MESSAGES, MODEL);
    const failed = run === "chat" ? ai.chat(MESSAGES, MODEL) : gather(stream);
    await assert.rejects(failed, (error: EaselError) => {
      check(error);
      return true;
    });
    assert.equal(calls.length, 1, "never retried");
    assert.deepEqual([stream.usage, stream.cost], [undefined, undefined]);
  }
}

test("`chat` sends one request and collects the response", async () => {
  const { ai, calls } = respond(delta("Te"), delta("a."), DONE);
  const options = { ...MODEL, system: "Be brief.", maxTokens: 5, more: 1 };
  assert.deepEqual(await ai.chat(MESSAGES, options), { text: "Tea.", usage: USAGE, cost: 0.0125 });
  const [call] = calls;
  assert.equal(calls.length, 1);
  assert.equal(call?.url, "https://easel.example/v1/c/tea/ai/chat");
  const { method, headers, credentials, body } = call.init;
  assert.deepEqual(
    { method, headers, credentials },
    { method: "POST", headers: { "content-type": "application/json" }, credentials: "include" },
  );
  assert.deepEqual(JSON.parse(String(body)), {
    model: "m-1",
    messages: MESSAGES,
    system: "Be brief.",
    maxTokens: 5,
  });
});

test("a response without text is an empty text", async () => {
  const { ai } = respond(DONE);
  assert.deepEqual(await ai.chat(MESSAGES, MODEL), { text: "", usage: USAGE, cost: 0.0125 });
});

test("`stream` yields the deltas, then has usage and cost", async () => {
  const { ai, calls } = respond(delta("Te"), delta(""), delta("a."), DONE);
  const stream = ai.stream(MESSAGES, MODEL);
  assert.deepEqual([stream.usage, stream.cost], [undefined, undefined]);
  assert.deepEqual(await gather(stream), ["Te", "", "a."]);
  assert.deepEqual([stream.usage, stream.cost], [USAGE, 0.0125]);
  assert.equal(calls.length, 1);
});

test("a delta is yielded before the next one is sent", async () => {
  const { response, send } = openResponse();
  const texts = aiOf(() => response)
    .ai.stream(MESSAGES, MODEL)
    [Symbol.asyncIterator]();
  for (const text of ["Te", "a."]) {
    send(delta(text));
    assert.deepEqual(await texts.next(), { done: false, value: text });
  }
});

test("a stream sends its request when it is iterated, as it was when `stream` was called", async () => {
  const { ai, calls } = respond(DONE);
  const messages = [...MESSAGES];
  const stream = ai.stream(messages, MODEL);
  messages.push({ role: "user", content: "And a cake." });
  const texts = stream[Symbol.asyncIterator]();
  assert.equal(calls.length, 0);
  await texts.next();
  assert.deepEqual(JSON.parse(String(calls[0]?.init.body)).messages, MESSAGES);
});

test("a second iteration throws and sends nothing", async () => {
  const { ai, calls } = respond(delta("Tea."), DONE);
  const stream = ai.stream(MESSAGES, MODEL);
  await gather(stream);
  await assert.rejects(gather(stream), { name: "EaselError", status: 0, message: /iterated once/ });
  assert.equal(calls.length, 1);
  assert.equal(stream.cost, 0.0125);
});

test("messages that are not JSON are INVALID_BODY and not sent", async () => {
  const { ai, calls } = respond(DONE);
  const messages = [{ role: "user" as const, content: 1n as unknown as string }];
  const invalid = { code: "INVALID_BODY", status: 400 };
  await assert.rejects(ai.chat(messages, MODEL), invalid);
  assert.throws(() => ai.stream(messages, MODEL), invalid);
  assert.equal(calls.length, 0);
});

test("UTF-8 is decoded across chunks, split at any byte", async () => {
  const bytes = new TextEncoder().encode(`\uFEFF${line(delta("Tée 🍵"))}: keep-alive\r\n\r\n${line(DONE)}`);
  for (let at = 0; at <= bytes.length; at++) {
    const stream = new ReadableStream<Uint8Array>({
      start(body) {
        body.enqueue(bytes.slice(0, at));
        body.enqueue(bytes.slice(at));
        body.close();
      },
    });
    const { text } = await aiOf(() => new Response(stream)).ai.chat(MESSAGES, MODEL);
    assert.equal(text, "Tée 🍵", `split at ${at}`);
  }
});

test("the last event may lack its blank line and its line break", async () => {
  for (const end of ["\n", "\r", ""]) {
    const { ai } = aiOf(() => new Response(line(delta("Tea.")) + line(DONE).trim() + end));
    assert.equal((await ai.chat(MESSAGES, MODEL)).cost, 0.0125);
  }
});

test("the rest of the stream after `done` is ignored, also if it breaks", async () => {
  const late = respond(delta("Tea."), DONE, delta(" Late."), { type: "error" }, { ...DONE, cost: 1 });
  assert.deepEqual(await late.ai.chat(MESSAGES, MODEL), { text: "Tea.", usage: USAGE, cost: 0.0125 });
  const { response, send, fail } = openResponse();
  const texts = aiOf(() => response)
    .ai.stream(MESSAGES, MODEL)
    [Symbol.asyncIterator]();
  const end = texts.next();
  send(DONE);
  await new Promise(setImmediate);
  fail(new TypeError("the connection was closed"));
  assert.equal((await end).done, true);
});

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

test("error events in mid-stream have the classes and statuses of section 7", async () => {
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

test("a `break`, and an error of the page, close the request", async () => {
  for (const leave of ["break", "throw"] as const) {
    const { response, send, seen } = openResponse();
    const stream = aiOf(() => response).ai.stream(MESSAGES, MODEL);
    send(delta("Te"));
    const read = async () => {
      for await (const _ of stream) {
        if (leave === "throw") throw new Error("of the page");
        break;
      }
    };
    if (leave === "throw") await assert.rejects(read(), { message: "of the page" });
    else await read();
    assert.ok(seen.cancelled, leave);
    assert.deepEqual([stream.usage, stream.cost], [undefined, undefined]);
    await assert.rejects(gather(stream), { message: /iterated once/ });
  }
});

test("an aborted signal sends nothing, and rejects with its reason", async () => {
  const { ai, calls } = respond(DONE);
  const reason = new Error("too late");
  const options = { ...MODEL, signal: AbortSignal.abort(reason) };
  await assert.rejects(ai.chat(MESSAGES, options), (error) => error === reason);
  await assert.rejects(gather(ai.stream(MESSAGES, options)), (error) => error === reason);
  assert.equal(calls.length, 0);
});

test("`signal` aborts in mid-stream with its reason, and reaches fetch", async () => {
  const stop = new AbortController();
  const reason = new Error("changed my mind");
  const { response, send, fail } = openResponse();
  const { fetch, calls } = fakeFetch(() => response);
  const stream = createEasel(page, fetch).ai.stream(MESSAGES, { ...MODEL, signal: stop.signal });
  const texts = stream[Symbol.asyncIterator]();
  send(delta("Te"));
  await texts.next();
  assert.equal(calls[0]?.init.signal, stop.signal);
  const next = texts.next();
  stop.abort(reason);
  fail(new TypeError("aborted"));
  await assert.rejects(next, (error) => error === reason);
  assert.deepEqual([stream.usage, stream.cost], [undefined, undefined]);
});

test("an abort drops the deltas that have arrived, also if the stream is complete", async () => {
  const stop = new AbortController();
  const { ai } = respond(delta("Te"), delta("a."), DONE);
  const texts: string[] = [];
  const read = async () => {
    for await (const text of ai.stream(MESSAGES, { ...MODEL, signal: stop.signal })) {
      texts.push(text);
      stop.abort();
    }
  };
  await assert.rejects(read(), { name: "AbortError" });
  assert.deepEqual(texts, ["Te"]);
});

test("`signal` aborts while the request is sent", async () => {
  const stop = new AbortController();
  const reason = new Error("changed my mind");
  const { fetch } = fakeFetch(() => {
    stop.abort(reason);
    return Promise.reject(new TypeError("aborted"));
  });
  const chat = createEasel(page, fetch).ai.chat(MESSAGES, { ...MODEL, signal: stop.signal });
  await assert.rejects(chat, (error) => error === reason);
});
