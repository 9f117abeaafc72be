import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { after, describe, it } from "node:test";
import { stage } from "@easel/conformance/fixture";
import { type Answer, send, start } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { refused } from "@easel/conformance/refusal";
import { Concurrency } from "../../src/async/task-pool.ts";
import { refuse } from "../../src/http/refusal.ts";
import type { FullAnswer, Answer as Result } from "../../src/primitives/primitive.ts";
import { primitiveWith, startWith } from "../support/primitives.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const PRIVATE = "private, no-store";
const LARGE = Buffer.alloc(20 * 1024, "x");
const FILE = {
  "content-type": "image/png",
  "content-disposition": 'attachment; filename="a.png"',
  "cache-control": "public, max-age=60",
};

/** The streams that handlers have returned, the latest last. */
const streams: Readable[] = [];
function streamOf(chunks: Iterable<unknown> | AsyncIterable<unknown>): Readable {
  const stream = Readable.from(chunks, { objectMode: false });
  streams.push(stream);
  return stream;
}

/** Yields far more chunks than the buffers of a connection hold. */
async function* endless() {
  for (let each = 0; each < 10_000; each++) yield LARGE;
}
async function* failing(error: Error | null, ...chunks: string[]) {
  yield* chunks;
  if (error !== null) throw error;
  refuse("CONNECTION_LIMIT");
}

let release = () => {};

/** The functions that make the handlers' results, keyed by the path below `/probe`. */
const ANSWERS: Record<string, () => FullAnswer> = {
  created: () => ({ status: 201, headers: { location: "/elsewhere" }, body: "{}" }),
  bytes: () => ({ headers: FILE, body: new Uint8Array([0, 1, 0xff, 3, 4]).subarray(1, 4) }),
  large: () => ({ headers: FILE, body: LARGE }),
  nothing: () => ({ status: 204, body: null }),
  empty: () => ({ headers: { "cache-control": "no-cache" }, body: null }),
  events: () => ({ headers: { "content-type": "text/event-stream" }, body: streamOf(["data: 1\n\n"]) }),
  upstream: () => ({
    status: 404,
    headers: { "content-type": "text/plain", "content-length": "4" },
    body: streamOf(["gone"]),
  }),
  endless: () => ({ headers: FILE, body: streamOf(endless()) }),
  broken: () => ({
    headers: { ...FILE, "content-length": "9" },
    body: streamOf(failing(new Error("no upstream"))),
  }),
  refusing: () => ({ headers: FILE, body: streamOf(failing(null)) }),
  cut: () => ({ headers: FILE, body: streamOf(failing(new Error("upstream is gone"), "begun")) }),
};

const handlers: Record<string, () => Promise<Result>> = {
  ...Object.fromEntries(Object.entries(ANSWERS).map(([name, answer]) => [name, async () => answer()])),
  text: async () => '{"ok":true}',
  json: async () => streamOf(["[1,", "2]"]),
  async late() {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return streamOf(endless());
  },
};

const probe = primitiveWith(
  Object.fromEntries(Object.entries(handlers).map(([name, run]) => [`/probe/${name}`, run])),
);

const { target, whole, env } = await startWith({ after }, [probe]);
const { slug, people } = await stage(whole);
const request = (path: string, method = "GET") => ({
  method,
  path: `/v1/c/${slug}/probe/${path}`,
  headers: people.viewer.headers,
});
const ask = (path: string, method?: string): Promise<Answer> => send(target.base, request(path, method));

/** Sends a request and resolves with its response, whose body is not read yet. */
async function begin(path: string): Promise<IncomingMessage> {
  const [response] = await once(start(target.base, request(path), false).end(), "response");
  return (response as IncomingMessage).on("error", () => {});
}
const latest = () => streams.at(-1) as Readable;
const isDestroyed = (what: string) => until(`${what} is destroyed`, () => latest().destroyed);

interface Expected {
  status: number;
  type: string | undefined;
  cache?: string;
  /** The header `Content-Length`; undefined where the body is sent in chunks or the status allows no length. */
  length: string | undefined;
  body: string;
  more?: Record<string, string>;
}

const ROWS: Record<string, Expected> = {
  text: { status: 200, type: JSON_TYPE, length: "11", body: '{"ok":true}' },
  json: { status: 200, type: JSON_TYPE, length: undefined, body: "[1,2]" },
  created: { status: 201, type: JSON_TYPE, length: "2", body: "{}", more: { location: "/elsewhere" } },
  bytes: {
    status: 200,
    type: "image/png",
    cache: "public, max-age=60",
    length: "3",
    body: "\u0001\ufffd\u0003",
    more: FILE,
  },
  nothing: { status: 204, type: undefined, length: undefined, body: "" },
  empty: { status: 200, type: undefined, cache: "no-cache", length: "0", body: "" },
  events: { status: 200, type: "text/event-stream", length: undefined, body: "data: 1\n\n" },
  upstream: { status: 404, type: "text/plain", length: "4", body: "gone" },
};

describe("a response is what the handler returns", () => {
  for (const [path, { status, type, cache = PRIVATE, length, body, more = {} }] of Object.entries(ROWS)) {
    const head = (answer: Answer) => [
      answer.status,
      answer.headers["content-type"],
      answer.headers["cache-control"],
      answer.headers["x-content-type-options"],
      answer.headers["content-length"],
    ];
    const expected = [status, type, cache, "nosniff"];

    it(`GET ${path}: ${status}`, async () => {
      const answer = await ask(path);
      assert.deepEqual([...head(answer), answer.text], [...expected, length, body]);
      for (const [name, value] of Object.entries(more)) assert.equal(answer.headers[name], value);
    });

    it(`HEAD ${path}: the same headers and no body`, async () => {
      const answer = await ask(path, "HEAD");
      // The response to HEAD has no content length where the body is empty.
      assert.deepEqual(
        [...head(answer), answer.text],
        [...expected, path === "empty" ? undefined : length, ""],
      );
    });
  }

  it("the other methods of a path are 405", async () => {
    const answer = await ask("bytes", "DELETE");
    refused(answer, 405, "METHOD_NOT_ALLOWED");
    assert.equal(answer.headers.allow, "GET, HEAD");
  });
});

describe("a stream", () => {
  it("is sent while it is produced: its first bytes arrive before its end exists", async () => {
    const response = await begin("endless");
    assert.equal(response.headers["content-type"], "image/png");
    await once(response, "data");
    assert.equal(latest().destroyed, false);
    response.destroy();
    await isDestroyed("the stream");
  });

  it("is read no faster than the client takes it, and destroyed when the client aborts", async () => {
    const response = await begin("endless");
    response.pause();
    await until("the stream waits", () => latest().readableFlowing === false);
    response.destroy();
    await isDestroyed("the stream");
  });

  it("is destroyed if the client aborted before the handler returned it", async () => {
    const made = streams.length;
    const out = start(target.base, request("late"), false).on("error", () => {});
    release = () => {};
    const initial = release;
    out.end();
    await until("the handler waits", () => release !== initial);
    const closed = new Promise((resolve) => out.once("close", resolve));
    out.destroy();
    await closed;
    // While this request runs, the service notices that the first client has gone.
    assert.equal((await ask("text")).status, 200);
    release();
    await until("the stream is made", () => streams.length > made);
    await isDestroyed("the stream");
  });

  it("HEAD destroys it without reading it", async () => {
    assert.equal((await ask("endless", "HEAD")).status, 200);
    assert.deepEqual([latest().destroyed, latest().readableDidRead], [true, false]);
  });

  for (const [path, status, code] of [
    ["broken", 500, "INTERNAL_ERROR"],
    ["refusing", 429, "CONNECTION_LIMIT"],
  ] as const) {
    it(`an error before the first byte gets the usual error response: ${path} is ${status}`, async (t) => {
      const logged = t.mock.method(env.log, "error", () => {});
      const answer = await ask(path);
      refused(answer, status, code);
      assert.equal(answer.headers["content-disposition"], undefined);
      assert.equal(answer.headers["cache-control"], PRIVATE);
      assert.equal(answer.headers["content-length"], String(Buffer.byteLength(answer.text)));
      assert.equal(logged.mock.callCount(), status === 500 ? 1 : 0);
    });
  }

  it("a later error closes the connection, and is logged once", async (t) => {
    const logged = t.mock.method(env.log, "error", () => {});
    await assert.rejects(ask("cut"), { code: "ECONNRESET" });
    assert.equal(logged.mock.callCount(), 1);
    assert.equal((await ask("text")).status, 200);
  });
});

describe("large responses", () => {
  it("count until they are sent, streams of any length included; beyond the limit 429 with its own headers", async () => {
    const usual = env.responses;
    env.responses = new Concurrency(1);
    const held = await begin("endless");
    const first = latest();
    for (const path of ["large", "endless", "json"]) {
      const answer = await ask(path);
      refused(answer, 429, "CONCURRENCY_LIMIT");
      assert.deepEqual(
        [answer.headers["retry-after"], answer.headers["content-disposition"]],
        ["1", undefined],
        path,
      );
      if (path !== "large") await isDestroyed("the refused stream");
    }
    for (const path of ["text", "bytes", "nothing"]) assert.ok((await ask(path)).status < 300, path);
    assert.equal((await ask("endless", "HEAD")).status, 200);
    assert.equal(first.destroyed, false);
    held.destroy();
    await until("there is room again", async () => (await ask("large")).status === 200);
    env.responses = usual;
  });
});
