import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { UnusableDocument } from "../access/client-document.ts";
import { DestinationBlocked, type Outbound, type OutboundRequest } from "./outbound/outbound.ts";
import { RemoteDocuments } from "./remote-documents.ts";

const URL_OF = (path: string) => new URL(`https://tools.acme.test${path}`);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | AsyncIterable<Buffer>;
}

/**
 * Creates documents whose server sends `answer`. `requests` collects what was sent, `discarded` counts the responses whose connections were
 * released, and `state` has the time and the answer.
 */
function documents(answer: Answer | Error = {}) {
  const state = { now: 0, answer };
  const requests: OutboundRequest[] = [];
  const warnings: unknown[] = [];
  const counted = { discarded: 0, admitted: 0 };
  const outbound: Outbound = {
    async send(request) {
      requests.push(request);
      if (state.answer instanceof Error) throw state.answer;
      const { status = 200, headers = {}, body = "{}" } = state.answer;
      const chunks = typeof body === "string" ? [Buffer.from(body)] : body;
      return {
        status,
        headers: { "content-type": "application/json", ...headers },
        body: (async function* () {
          yield* chunks;
        })(),
        discard: () => void counted.discarded++,
      };
    },
    check: () => assert.fail(),
    close: async () => {},
  };
  const cache = new RemoteDocuments<{ text: string }>(
    (bytes) => {
      const text = bytes.toString();
      if (text === "bad") throw new UnusableDocument("bad");
      return { text };
    },
    { clock: () => state.now, log: { warn: (fields: unknown) => void warnings.push(fields) } },
  );
  const get = (
    path = "/a",
    admit: () => Promise<void> = async () => void counted.admitted++,
    person = "ada",
  ) => cache.get(URL_OF(path), outbound, { person, admit });
  return { state, requests, warnings, counted, get };
}

suite("requests for remote documents", () => {
  test("the request carries nothing about the service or the person", async () => {
    const { requests, get, counted } = documents();
    assert.deepEqual(await get("/a?b=c"), { text: "{}" });
    const [{ headers, ...request }] = requests as [OutboundRequest];
    assert.deepEqual(request, {
      origin: "https://tools.acme.test",
      path: "/a?b=c",
      method: "GET",
      body: null,
    });
    assert.deepEqual(headers.map(([name]) => name).sort(), ["accept", "accept-encoding", "user-agent"]);
    assert.equal(counted.discarded, 1);
  });

  const refused: [what: string, answer: Answer | Error][] = [
    ...[301, 302, 303, 307, 308, 300].map((status): [string, Answer] => [
      `a redirect with ${status}`,
      { status, headers: { location: "https://tools.acme.test/b" } },
    ]),
    ...[201, 204, 206, 400, 401, 403, 404, 410, 429, 500, 503].map((status): [string, Answer] => [
      `status ${status}`,
      { status },
    ]),
    ["no type", { headers: { "content-type": "" } }],
    ["HTML", { headers: { "content-type": "text/html" } }],
    ["JSON as text", { headers: { "content-type": "text/plain; a=application/json" } }],
    ["a type that begins like JSON", { headers: { "content-type": "application/jsonp" } }],
    ["a compressed body", { headers: { "content-encoding": "gzip" } }],
    ["more than 5 KiB", { body: " ".repeat(5_121) }],
    ["what its reader refuses", { body: "bad" }],
    ["an address that is not public", new DestinationBlocked("tools.acme.test resolves to 10.0.0.1")],
    ["a failed connection", new Error("ECONNREFUSED")],
  ];
  for (const [what, answer] of refused)
    test(`${what}: the document is unusable, and the message tells nothing of the network`, async () => {
      const { get, counted, warnings, requests } = documents(answer);
      await assert.rejects(get(), (error) => {
        assert.ok(error instanceof UnusableDocument);
        assert.doesNotMatch(error.message, /10\.0\.0\.1|ECONN/);
        return true;
      });
      assert.equal(counted.discarded, answer instanceof Error ? 0 : 1);
      assert.equal(warnings.length, 1);
      assert.equal(requests.length, 1);
    });

  for (const type of ["application/json", "application/json; charset=utf-8", "Application/Client+JSON"])
    test(`${type}: accepted`, async () => {
      const { get } = documents({ headers: { "content-type": type } });
      assert.deepEqual(await get(), { text: "{}" });
    });

  test("a redirect is told as such", async () => {
    const { get } = documents({ status: 302, headers: { location: "https://tools.acme.test/b" } });
    await assert.rejects(get(), /at another address, which is not allowed/);
  });

  test("5 KiB are read; of 10 MB, no more than the first bytes", async () => {
    const exact = documents({ body: "a".repeat(5_120) });
    assert.equal((await exact.get()).text.length, 5_120);
    let read = 0;
    const endless = (async function* () {
      for (; read < 10_000_000; read += 1_000) yield Buffer.alloc(1_000);
    })();
    const { get, counted } = documents({ body: endless });
    await assert.rejects(get(), /larger than 5120 bytes/);
    assert.ok(read <= 6_000);
    assert.equal(counted.discarded, 1);
  });
});

suite("remote documents in memory", () => {
  const lifetimes: [cacheControl: string, ms: number][] = [
    ["", MINUTE_MS],
    ["max-age=0", MINUTE_MS],
    ["no-store,no-cache,max-age=0", MINUTE_MS],
    ["no-store, max-age=3600", MINUTE_MS],
    ["max-age=-1", MINUTE_MS],
    ["max-age=many", MINUTE_MS],
    ["x-max-age=3600", MINUTE_MS],
    ["public, max-age=3600", HOUR_MS],
    ["Public,MAX-AGE=3600", HOUR_MS],
    ['max-age="3600"', HOUR_MS],
    ["max-age=99999999999999999999", 24 * HOUR_MS],
    ["max-age=604800, immutable", 24 * HOUR_MS],
  ];
  for (const [cacheControl, ms] of lifetimes)
    test(`with Cache-Control "${cacheControl}", it is kept for ${ms / MINUTE_MS} minutes`, async () => {
      const { state, requests, counted, get } = documents({ headers: { "cache-control": cacheControl } });
      await get();
      state.now = ms - 1;
      await get();
      assert.deepEqual([requests.length, counted.admitted], [1, 1]);
      state.now = ms;
      await get();
      assert.deepEqual([requests.length, counted.admitted], [2, 2]);
    });

  test("a failure is kept for five minutes, then the document is fetched again", async () => {
    const { state, requests, get } = documents({ status: 503 });
    await assert.rejects(get(), UnusableDocument);
    state.answer = {};
    state.now = 5 * MINUTE_MS - 1;
    await assert.rejects(get(), UnusableDocument);
    assert.equal(requests.length, 1);
    state.now++;
    assert.deepEqual(await get(), { text: "{}" });
  });

  test("requests at the same time share one fetch", async () => {
    const { requests, get } = documents();
    const all = await Promise.all(Array.from({ length: 50 }, () => get()));
    assert.equal(requests.length, 1);
    assert.equal(new Set(all).size, 1);
    await Promise.all([get("/a"), get("/b"), get("/b")]);
    assert.equal(requests.length, 2);
  });

  test("a caller who is not admitted sends no request, and does not stop others", async () => {
    const { requests, get } = documents();
    const refused = assert.rejects(
      get("/a", async () => {
        throw new UnusableDocument("too many");
      }),
      /too many/,
    );
    assert.deepEqual(await get(), { text: "{}" });
    await refused;
    assert.equal(requests.length, 1);
    const other = documents();
    await assert.rejects(other.get("/a", () => Promise.reject(new UnusableDocument("too many"))));
    assert.equal(other.requests.length, 0);
  });

  test("of one person, two fetches run and five wait; a further one is no failure of its document, and others do not wait", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = (async function* () {
      await promise;
      yield Buffer.from("{}");
    })();
    const { state, requests, get } = documents({ body: slow });
    const admit = async () => {};
    const running = Array.from({ length: 7 }, (_, n) => get(`/${n}`));
    await new Promise(setImmediate);
    assert.equal(requests.length, 2);
    await assert.rejects(get("/more"), /for you; try again/);
    state.answer = {};
    assert.deepEqual(await get("/more", admit, "bob"), { text: "{}" });
    // What another person waits for is not waited for by all.
    assert.deepEqual(await get("/5", admit, "bob"), { text: "{}" });
    resolve();
    await Promise.allSettled(running);
    assert.deepEqual(await get("/more"), { text: "{}" });
    assert.equal(requests.filter(({ path }) => path === "/5").length, 1);
  });

  test("at most 1,000 documents are kept, and the oldest goes first", async () => {
    const { requests, get } = documents({ headers: { "cache-control": "max-age=3600" } });
    for (let n = 0; n <= 1_000; n++) await get(`/${n}`);
    await get("/1");
    await get("/1000");
    assert.equal(requests.length, 1_001);
    await get("/0");
    assert.equal(requests.length, 1_002);
  });

  test("a fetch ends when its time is over, however slowly the bytes come", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    aborted.catch(() => {});
    const drip = (async function* () {
      yield Buffer.from("{");
      await aborted;
    })();
    const sent: AbortSignal[] = [];
    const outbound: Outbound = {
      async send(_request, signal) {
        sent.push(signal);
        signal.addEventListener("abort", () => reject(signal.reason));
        return {
          status: 200,
          headers: { "content-type": "application/json" },
          body: drip,
          discard: () => {},
        };
      },
      check: () => assert.fail(),
      close: async () => {},
    };
    const cache = new RemoteDocuments(() => ({}), { clock: () => 0, log: { warn: () => {} } });
    const got = assert.rejects(
      cache.get(URL_OF("/a"), outbound, { person: "ada", admit: async () => {} }),
      UnusableDocument,
    );
    await new Promise(setImmediate);
    t.mock.timers.tick(4_999);
    assert.equal(sent[0]?.aborted, false);
    t.mock.timers.tick(1);
    assert.equal(sent[0]?.aborted, true);
    await got;
  });
});
