import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutboundResponse } from "../../drivers/outbound/outbound.ts";
import { Refusal } from "../../http/refusal.ts";
import { keptHeaders, readResponse, requireIdentity } from "./upstream-response.ts";

const KEPT = [
  "content-type",
  "content-language",
  "etag",
  "last-modified",
  "retry-after",
  "link",
  "x-total-count",
  "x-request-id",
  "ratelimit",
  "ratelimit-policy",
  "ratelimit-remaining",
  "rate-limit-reset",
  "x-ratelimit-limit",
  "x-rate-limit-remaining",
  "x-ratelimit-limit-minute",
];
const REMOVED = [
  "set-cookie",
  "location",
  "server",
  "cache-control",
  "content-length",
  "content-encoding",
  "content-security-policy",
  "content-disposition",
  "connection",
  "transfer-encoding",
  "access-control-allow-origin",
  "access-control-allow-credentials",
  "clear-site-data",
  "refresh",
  "service-worker-allowed",
  "strict-transport-security",
  "www-authenticate",
  "alt-svc",
  "x-service-connection-response",
  "x-content-type-options",
  "x-frame-options",
  "x-ratelimited",
  "xratelimit",
  "my-ratelimit-limit",
  "x-x-ratelimit",
  "__proto__",
  "constructor",
];

test("of the headers of an upstream, only the listed ones reach the page", () => {
  const all = Object.fromEntries([...KEPT, ...REMOVED].map((name) => [name, `value of ${name}`]));
  const expected = Object.fromEntries(KEPT.map((name) => [name, `value of ${name}`]));
  assert.deepEqual(keptHeaders(all), expected);
});

test("a header with several values is joined by commas", () => {
  assert.deepEqual(keptHeaders({ link: ["<a>; rel=next", "<b>; rel=last"], etag: undefined }), {
    link: "<a>; rel=next, <b>; rel=last",
    etag: "",
  });
});

for (const value of ["a\r\nset-cookie: b=c", "a\nb", "a\0", "a\x7f", "\u0100"])
  test(`the value ${JSON.stringify(value)} is removed`, () => {
    assert.deepEqual(keptHeaders({ etag: value, link: "kept" }), { link: "kept" });
  });

const ENCODINGS: [value: string | string[] | undefined, plain: boolean][] = [
  [undefined, true],
  ["", true],
  ["identity", true],
  [" IDENTITY ", true],
  [["identity", "identity"], true],
  ["gzip", false],
  ["GZIP", false],
  ["br", false],
  ["x-unknown", false],
  ["identity, gzip", false],
  [["identity", "deflate"], false],
];
for (const [value, plain] of ENCODINGS)
  test(`Content-Encoding ${JSON.stringify(value)} is ${plain ? "accepted" : "refused"}`, () => {
    const check = () => requireIdentity({ headers: { "content-encoding": value } });
    if (plain) check();
    else
      assert.throws(
        check,
        (error) => error instanceof Refusal && error.status === 403 && error.code === "DESTINATION_BLOCKED",
      );
  });

const MOST = 2 * 1024 * 1024;

/** Returns a response whose body consists of pieces of these sizes in bytes, and a function that returns how many pieces were read. */
function responseOf(pieces: number[], headers: OutboundResponse["headers"] = {}) {
  let read = 0;
  async function* body() {
    for (const size of pieces) {
      read++;
      yield Buffer.alloc(size, 97);
    }
  }
  const response: OutboundResponse = { status: 200, headers, body: body(), discard() {} };
  return { response, read: () => read };
}

const isTooLarge = (error: unknown) =>
  error instanceof Refusal && error.status === 502 && error.code === "RESPONSE_TOO_LARGE";

for (const pieces of [[], [0], [1], [MOST], [MOST - 1, 1], [1, MOST - 1, 0], Array(32).fill(MOST / 32)])
  test(`a body of ${pieces.length} pieces and ${pieces.reduce((sum: number, each: number) => sum + each, 0)} bytes is read whole`, async () => {
    const total = pieces.reduce((sum: number, each: number) => sum + each, 0);
    assert.deepEqual(await readResponse(responseOf(pieces).response, "GET"), Buffer.alloc(total, 97));
  });

test("a body over 2 MiB is refused at the piece that exceeds it, and no further one is read", async () => {
  const { response, read } = responseOf([MOST, 1, 1, 1]);
  await assert.rejects(readResponse(response, "GET"), isTooLarge);
  assert.equal(read(), 2);
});

test("a body whose Content-Length is over 2 MiB is refused unread", async () => {
  const { response, read } = responseOf([1], { "content-length": String(MOST + 1) });
  await assert.rejects(readResponse(response, "GET"), isTooLarge);
  assert.equal(read(), 0);
  assert.equal(
    (await readResponse(responseOf([MOST], { "content-length": String(MOST) }).response, "GET")).length,
    MOST,
  );
});

test("a Content-Length that understates the body does not help it", async () => {
  await assert.rejects(
    readResponse(responseOf([MOST, 1], { "content-length": "1" }).response, "GET"),
    isTooLarge,
  );
});

test("a body that fails in the middle is an error, not a part of it", async () => {
  async function* body() {
    yield Buffer.from("a");
    throw new Error("cut off");
  }
  await assert.rejects(
    readResponse({ status: 200, headers: {}, body: body(), discard() {} }, "GET"),
    /cut off/,
  );
});

test("a Content-Length over 2 MiB is no error in a response that has no body", async () => {
  const headers = { "content-length": String(MOST + 1) };
  assert.equal((await readResponse(responseOf([], headers).response, "HEAD")).length, 0);
  for (const status of [204, 205, 304])
    assert.equal((await readResponse({ ...responseOf([], headers).response, status }, "GET")).length, 0);
});
