import assert from "node:assert/strict";
import { test } from "node:test";
import {
  aiOf,
  DONE,
  delta,
  gather,
  line,
  MESSAGES,
  MODEL,
  openResponse,
  respond,
  USAGE,
} from "./fake-chat.ts";

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
