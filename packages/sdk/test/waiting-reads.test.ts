import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createEasel } from "../src/index.ts";
import { createApi } from "../src/request.ts";
import { stopTime } from "./paced-page.ts";
import { fakeFetch, page } from "./support.ts";

const refusal = (status: number, retryAfter?: number, code = "RATE_LIMITED") =>
  Response.json(
    { code },
    { status, headers: retryAfter === undefined ? {} : { "retry-after": String(retryAfter) } },
  );

/**
 * Starts an SDK with a fake `fetch`. The first request gets the first of `answers`, and so on; later requests get the last one again. The
 * returned `times` are the times of the requests in ms after the start.
 */
function startRefused(t: TestContext, ...answers: (() => Response)[]) {
  const time = stopTime(t);
  const start = time.now();
  const times: number[] = [];
  const { fetch, calls } = fakeFetch(() => {
    times.push(time.now() - start);
    return (answers.length > 1 ? answers.shift() : answers[0])?.() as Response;
  });
  const pass = async (ms: number, step = ms) => {
    for (let passed = 0; passed < ms; passed += step) {
      time.pass(step, step);
      await turn();
    }
  };
  const own = { ...page, fetch };
  return { api: createApi(own), easel: createEasel(own), pass, times, calls };
}

for (const status of [429, 503])
  test(`a read that gets ${status} with Retry-After is sent once more after that time`, async (t) => {
    const { easel, pass, times } = startRefused(
      t,
      () => refusal(status, 2),
      () => Response.json({ value: 1 }),
    );
    const read = easel.kv.get("a");
    await turn();
    await pass(1_999);
    assert.deepEqual(times, [0]);
    await pass(1);
    assert.equal(await read, 1);
    assert.deepEqual(times, [0, 2_000]);
  });

test("a read that is refused again throws the second error", async (t) => {
  const { easel, pass, times } = startRefused(
    t,
    () => refusal(429, 1),
    () => refusal(503, 7, "UNAVAILABLE"),
  );
  const read = assert.rejects(easel.kv.list(), { code: "UNAVAILABLE", status: 503, retryAfter: 7 });
  await turn();
  await pass(1_000);
  await read;
  assert.deepEqual(times, [0, 1_000]);
});

test("no other request is sent again, and no other refusal is waited out", async (t) => {
  const { api, easel, pass, times } = startRefused(t, () => refusal(429, 1));
  const refused = [
    ...["POST", "PUT", "PATCH", "DELETE"].map((method) => api.json(method, "/a", 1)),
    easel.connections.fetch("weather", "/"),
    easel.connections.fetch("weather", "/", { method: "POST" }),
  ].map((each) => assert.rejects(each, { status: 429, retryAfter: 1 }));
  await turn();
  await pass(60_000);
  assert.deepEqual(times, [0, 0, 0, 0, 0, 0]);
  await Promise.all(refused);
});

const FINAL: [name: string, answer: () => Response][] = [
  ["429 without Retry-After", () => refusal(429)],
  ["503 without Retry-After", () => refusal(503)],
  ["a wait of more than a minute", () => refusal(429, 61)],
  ["404", () => refusal(404, 1, "NOT_FOUND")],
  ["500", () => refusal(500, 1, "INTERNAL")],
];
for (const [name, answer] of FINAL)
  test(`a read is refused at once: ${name}`, async (t) => {
    const { api, pass, times } = startRefused(t, answer);
    const read = assert.rejects(api.json("GET", "/kv/a"), { status: answer().status });
    await turn();
    await pass(120_000);
    assert.deepEqual(times, [0]);
    await read;
  });

test("reads that wait at the same time go on one after the other, as many as can in two minutes", async (t) => {
  let isOver = false;
  const { api, pass, times } = startRefused(t, () => (isOver ? Response.json({}) : refusal(429, 60)));
  const outcomes = Promise.allSettled(Array.from({ length: 130 }, () => api.json("GET", "/kv")));
  await turn();
  isOver = true;
  await pass(59_500);
  assert.equal(times.length, 130);
  await pass(70_000, 500);
  const again = times.slice(130);
  assert.deepEqual(
    again,
    again.map((_, index) => 60_000 + 500 * index),
  );
  const settled = await outcomes;
  const done = settled.filter(({ status }) => status === "fulfilled").length;
  assert.deepEqual([again.length, done], [121, 121]);
});
