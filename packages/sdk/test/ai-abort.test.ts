import assert from "node:assert/strict";
import { test } from "node:test";
import { createEasel } from "../src/index.ts";
import { aiOf, DONE, delta, gather, MESSAGES, MODEL, openResponse, respond } from "./fake-chat.ts";
import { fakeFetch, page } from "./support.ts";

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
  const stream = createEasel({ ...page, fetch }).ai.stream(MESSAGES, { ...MODEL, signal: stop.signal });
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
  const chat = createEasel({ ...page, fetch }).ai.chat(MESSAGES, { ...MODEL, signal: stop.signal });
  await assert.rejects(chat, (error) => error === reason);
});
