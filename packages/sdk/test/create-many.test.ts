import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createEasel } from "../src/index.ts";
import { stopTime } from "./paced-page.ts";
import { gatherReports } from "./realtime-server.ts";
import { fakeFetch, page } from "./support.ts";

const LIMIT = 120;
const WINDOW_MS = 60_000;

/**
 * Creates the SDK for a fake service with a rate limit. If `fault` returns a response for a value, the service sends it and creates no
 * record. `seen.lowest` is the lowest number of requests that was left. `run` moves the time on until a promise is settled.
 */
function startImport(t: TestContext, limit = LIMIT, fault = (_: unknown): Response | undefined => undefined) {
  const time = stopTime(t);
  const created: unknown[] = [];
  const sent: unknown[] = [];
  const seen = { refused: 0, lowest: limit, atOnce: 0 };
  let [taken, endsAt, underWay] = [0, 0, 0];
  /** Counts `count` requests against the rate limit, as if another page of the same person had sent them. */
  const take = (count: number) => {
    if (time.now() >= endsAt) [taken, endsAt] = [0, time.now() + WINDOW_MS];
    taken += count;
  };
  const answer = async (value: unknown) => {
    if (sent.length > 6_000) throw new Error("too many requests");
    const failure = fault(value);
    if (failure) return failure;
    take(1);
    const headers = {
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": String(Math.max(0, limit - taken)),
      "retry-after": String(Math.ceil((endsAt - time.now()) / 1_000)),
    };
    if (taken > limit) {
      seen.refused++;
      return Response.json({ code: "RATE_LIMITED" }, { status: 429, headers });
    }
    seen.lowest = Math.min(seen.lowest, limit - taken);
    created.push(value);
    return Response.json({ id: `r-${created.length}`, value }, { status: 201, headers });
  };
  const { fetch } = fakeFetch(async ({ path, init }) => {
    assert.deepEqual([init.method, path], ["POST", "/collections/ideas"]);
    const value: unknown = JSON.parse(String(init.body));
    sent.push(value);
    seen.atOnce = Math.max(seen.atOnce, ++underWay);
    const response = await answer(value);
    underWay--;
    return response;
  });
  const run = async <Value>(promise: Promise<Value>): Promise<Value> => {
    let isSettled = false;
    const settled = () => {
      isSettled = true;
    };
    promise.then(settled, settled);
    while (!isSettled) {
      for (let before = -1; before !== sent.length; ) {
        before = sent.length;
        await turn();
      }
      if (!isSettled) time.pass(500, 500);
    }
    return promise;
  };
  return {
    ideas: createEasel({ ...page, fetch }).kv.collection<unknown>("ideas"),
    created,
    sent,
    seen,
    take,
    run,
    time,
  };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test("records are created one after the other, in order, with progress", async (t) => {
  const { ideas, created, seen, run, time } = startImport(t);
  const start = time.now();
  const progress: unknown[] = [];
  const records = await run(
    ideas.createMany([{ title: "Tea" }, null, [1]], { onProgress: (each) => progress.push(each) }),
  );
  assert.deepEqual(created, [{ title: "Tea" }, null, [1]]);
  assert.deepEqual(
    records.map(({ id, value }) => [id, value]),
    [
      ["r-1", { title: "Tea" }],
      ["r-2", null],
      ["r-3", [1]],
    ],
  );
  assert.deepEqual(progress, [
    { done: 1, total: 3 },
    { done: 2, total: 3 },
    { done: 3, total: 3 },
  ]);
  assert.deepEqual([seen.atOnce, time.now() - start], [1, 0]);
  assert.deepEqual(await ideas.createMany([]), []);
});

test("5,000 records are created inside the rate limit, and a fifth of it is left to other calls", async (t) => {
  const { ideas, created, seen, run, time } = startImport(t);
  const start = time.now();
  await run(ideas.createMany(numbers(5_000)));
  assert.deepEqual(created, numbers(5_000));
  assert.deepEqual(seen, { refused: 0, lowest: 25, atOnce: 1 });
  // 96 records a minute.
  assert.ok(time.now() - start < 56 * WINDOW_MS, `${(time.now() - start) / WINDOW_MS} minutes`);
});

test("a request that the rate limit refuses is sent again after Retry-After, and each record is created once", async (t) => {
  for (const limit of [1, 5, LIMIT]) {
    const { ideas, created, sent, seen, take, run } = startImport(t, limit);
    take(limit);
    await run(ideas.createMany(numbers(12)));
    assert.deepEqual(created, numbers(12));
    assert.ok(seen.refused > 0 && sent.length === 12 + seen.refused, `${seen.refused}`);
    t.mock.timers.reset();
    t.mock.restoreAll();
  }
});

test("without a rate limit nothing waits", async (t) => {
  const { ideas, run, time } = startImport(t, LIMIT, () => Response.json({ id: "r" }, { status: 201 }));
  const start = time.now();
  assert.equal((await run(ideas.createMany(numbers(500)))).length, 500);
  assert.equal(time.now(), start);
});

const limited = (headers: Record<string, string>, code = "RATE_LIMITED") =>
  Response.json({ code }, { status: 429, headers });
const FAULTS: [name: string, answer: () => Response, error: object][] = [
  [
    "a record is too large",
    () => Response.json({ code: "VALUE_TOO_LARGE" }, { status: 413 }),
    { code: "VALUE_TOO_LARGE" },
  ],
  [
    "the service is overloaded",
    () => Response.json({ code: "UNAVAILABLE" }, { status: 503, headers: { "retry-after": "1" } }),
    { code: "UNAVAILABLE", retryAfter: 1 },
  ],
  [
    "too many large responses are under way, after the record was created",
    () => limited({ "retry-after": "1", "x-ratelimit-limit": "120", "x-ratelimit-remaining": "80" }),
    { code: "RATE_LIMITED", retryAfter: 1 },
  ],
  [
    "another limit refuses",
    () => limited({ "retry-after": "1", "x-ratelimit-remaining": "0" }, "QUOTA_EXCEEDED"),
    { code: "QUOTA_EXCEEDED" },
  ],
  [
    "the refusal has no Retry-After",
    () => limited({ "x-ratelimit-remaining": "0" }),
    { code: "RATE_LIMITED", retryAfter: undefined },
  ],
  ["the network fails", () => Response.error(), { status: 0 }],
];
for (const [name, answer, error] of FAULTS)
  test(`it stops at the first error, and \`done\` says where: ${name}`, async (t) => {
    const { ideas, created, sent, run } = startImport(t, LIMIT, (value) =>
      value === 3 ? answer() : undefined,
    );
    const done: number[] = [];
    const many = ideas.createMany(numbers(6), { onProgress: (each) => done.push(each.done) });
    await assert.rejects(run(many), error);
    assert.deepEqual([created, sent, done], [numbers(3), numbers(4), [1, 2, 3]]);
  });

test("an abort stops it between two records, and at once while it waits", async (t) => {
  const { ideas, created, run, time } = startImport(t);
  const stop = new AbortController();
  const reason = new Error("enough");
  const many = ideas.createMany(numbers(200), {
    signal: stop.signal,
    onProgress: ({ done }) => done === 3 && stop.abort(reason),
  });
  await assert.rejects(run(many), reason);
  assert.equal(created.length, 3);
  const again = new AbortController();
  const slow = ideas.createMany(numbers(200), {
    signal: again.signal,
    onProgress: ({ done }) => done === 87 && setImmediate(() => again.abort(reason)),
  });
  const start = time.now();
  await assert.rejects(run(slow), reason);
  assert.deepEqual([created.length, time.now()], [90, start]);
  await assert.rejects(ideas.createMany([1], { signal: again.signal }), reason);
  assert.equal(created.length, 90);
  const last = new AbortController();
  const one = ideas.createMany([1, 2], { signal: last.signal, onProgress: () => last.abort(reason) });
  await assert.rejects(run(one), reason);
  assert.deepEqual([created.length, time.now()], [91, start]);
});

test("a value that is not JSON is refused before anything is sent", async (t) => {
  const { ideas, sent } = startImport(t);
  for (const value of [undefined, Number.NaN, 1n])
    await assert.rejects(ideas.createMany([1, value as number]), { code: "INVALID_BODY", status: 400 });
  assert.deepEqual(sent, []);
});

test("values are created as they were at the call, and a handler that throws stops nothing", async (t) => {
  const reports = gatherReports(t);
  const { ideas, created, run } = startImport(t);
  const values = [{ title: "Tea" }, { title: "Cake" }];
  const failure = new Error("handler");
  const many = ideas.createMany(values, {
    onProgress() {
      throw failure;
    },
  });
  for (const value of values) value.title = "changed";
  values.pop();
  await run(many);
  assert.deepEqual(created, [{ title: "Tea" }, { title: "Cake" }]);
  assert.deepEqual(reports, [failure, failure]);
});
