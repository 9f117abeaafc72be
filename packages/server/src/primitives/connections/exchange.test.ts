import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConnectionLimits } from "@easel/protocol/management";
import {
  DestinationBlocked,
  type Header,
  type Outbound,
  type OutboundResponse,
  UpstreamFailure,
} from "../../drivers/outbound/outbound.ts";
import type { Env } from "../../env.ts";
import { Refusal } from "../../http/refusal.ts";
import { newMetrics } from "../../metrics/metrics.ts";
import { exchange, locationOf, redirected, redirectTarget, withDeadline } from "./exchange.ts";

const response = (status: number, location?: string | string[]) =>
  ({ status, headers: { location } }) as unknown as OutboundResponse;

test("301, 302, 303, 307 and 308 with Location are redirects, no other response", () => {
  for (let status = 200; status < 600; status++) {
    const expected = [301, 302, 303, 307, 308].includes(status) ? "/x" : null;
    assert.equal(locationOf(response(status, "/x")), expected, `${status}`);
    assert.equal(locationOf(response(status)), null, `${status}`);
  }
  assert.equal(locationOf(response(302, ["/first", "/second"])), "/first");
  assert.equal(locationOf(response(302, "")), "");
});

const UPSTREAM = "https://api.test:8443";
const FROM = new URL(`${UPSTREAM}/v1/list?page=1`);

const WITHIN: [location: string, target: string][] = [
  ["/x", "/x"],
  ["x", "/v1/x"],
  ["?page=2", "/v1/list?page=2"],
  ["", "/v1/list?page=1"],
  ["#part", "/v1/list?page=1"],
  ["../../..//x", "//x"],
  ["//api.test:8443/x", "/x"],
  ["https://api.test:8443", "/"],
  ["HTTPS://API.TEST:8443/x", "/x"],
  ["https://api.test:08443/x", "/x"],
  ["https:/x", "/x"],
  ["/%2f%2fevil.test", "/%2f%2fevil.test"],
];
for (const [location, target] of WITHIN)
  test(`a redirect to ${JSON.stringify(location)} leads to ${target}`, () => {
    const { origin, pathname, search } = redirectTarget(location, FROM, UPSTREAM);
    assert.deepEqual([origin, pathname + search], [UPSTREAM, target]);
  });

const OUTSIDE = [
  "//evil.test/x",
  "/\\evil.test/x",
  "\\\\evil.test/x",
  "https://evil.test:8443/",
  "http://api.test:8443/x",
  "https://api.test/x",
  "https://api.test:443/x",
  "https://api.test:8444/x",
  "https://api.test.:8443/x",
  "https://sub.api.test:8443/x",
  "https://user@api.test:8443/x",
  "https://:word@api.test:8443/x",
  "https://api.test:8443@evil.test/x",
  "wss://api.test:8443/x",
  "javascript:alert(1)",
  "data:text/plain,x",
  "file:///etc/passwd",
  "blob:https://api.test:8443/x",
  "about:blank",
  "https://",
  "https://api.test:99999/",
  "https://[::1]:8443/",
  "\t//evil.test/x",
  "/\t/evil.test/x",
];
for (const location of OUTSIDE)
  test(`a redirect to ${JSON.stringify(location)}: 403 DESTINATION_BLOCKED`, () => {
    assert.throws(
      () => redirectTarget(location, FROM, UPSTREAM),
      (error) => error instanceof Refusal && error.status === 403 && error.code === "DESTINATION_BLOCKED",
    );
  });

/** For each redirect status, the methods that stay as they are, and those that become a GET without a body. */
const REDIRECTED_METHODS: [status: number, kept: string[], becomeGet: string[]][] = [
  [301, ["GET", "HEAD", "PUT", "PATCH", "DELETE"], ["POST"]],
  [302, ["GET", "HEAD", "PUT", "PATCH", "DELETE"], ["POST"]],
  [303, ["HEAD"], ["GET", "POST", "PUT", "PATCH", "DELETE"]],
  [307, ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], []],
  [308, ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], []],
];
const HEADERS: Header[] = [
  ["content-type", "a/b"],
  ["x-key", "1"],
  ["content-language", "en"],
  ["content-location", "/"],
  ["x-key", "2"],
];
for (const [status, kept, becomeGet] of REDIRECTED_METHODS) {
  test(`after ${status}, ${kept.join(", ")} keep method and body`, () => {
    for (const method of kept) {
      const request = { method, headers: HEADERS, body: Buffer.from("x") };
      assert.deepEqual(redirected(request, status), request);
    }
  });
  if (becomeGet.length > 0)
    test(`after ${status}, ${becomeGet.join(", ")} become GET without the body and its headers`, () => {
      for (const method of becomeGet) {
        const request = { method, headers: HEADERS, body: Buffer.from("x") };
        assert.deepEqual(redirected(request, status), {
          method: "GET",
          headers: [
            ["x-key", "1"],
            ["x-key", "2"],
          ],
          body: null,
        });
      }
    });
}

const ORIGIN = "https://api.test";
const METHODS = ["GET", "HEAD", "POST"];

/** The reaction of the upstream to one request: a response, an error, or "never" for none. */
type Step = Partial<Pick<OutboundResponse, "status" | "headers">> | Error | "never";

/**
 * Calls `exchange` with an upstream that reacts as `steps` says, one step for each request. Returns the outcome, and what was sent,
 * logged and discarded.
 */
async function exchanged(
  steps: Step[],
  { method = "GET", methods = METHODS, limits = {} as ConnectionLimits, gone = new AbortController() } = {},
) {
  const [sent, checked, logged, discarded] = [
    [] as string[],
    [] as string[],
    [] as unknown[],
    [] as number[],
  ];
  const outbound: Outbound = {
    send(request, signal) {
      const step = steps[sent.length] ?? assert.fail("a request too many");
      sent.push(`${request.method} ${request.origin}${request.path} ${request.body ?? "-"}`);
      const { promise, resolve, reject } = Promise.withResolvers<OutboundResponse>();
      signal.addEventListener("abort", () => reject(signal.reason));
      async function* body() {
        yield Buffer.from("body");
      }
      const discard = () => void discarded.push(sent.length);
      if (step instanceof Error) reject(step);
      else if (step !== "never") resolve({ status: 200, headers: {}, body: body(), discard, ...step });
      return promise;
    },
    async check(origin) {
      checked.push(origin);
    },
    async close() {},
  };
  const log = { warn: (fields: unknown) => logged.push(fields) };
  const env = { outbound, log, metrics: newMetrics() } as unknown as Env;
  const request = { origin: ORIGIN, url: new URL(`${ORIGIN}/a?b`), method, methods, headers: [], limits };
  const full = { ...request, body: method === "POST" ? Buffer.from("x") : null };
  const outcome = await withDeadline((deadline) => exchange(full, { gone: gone.signal, deadline }, env)).then(
    ({ status, body }) => `${status} ${body}`,
    (error) => (error instanceof Refusal ? `${error.status} ${error.code}` : error),
  );
  return { outcome, sent, checked, logged, discarded };
}

const to = (location: string, status = 302): Step => ({ status, headers: { location } });

test("a response is read and returned", async () => {
  const { outcome, sent, checked } = await exchanged([{ status: 418 }]);
  assert.deepEqual([outcome, sent, checked], ["418 body", ["GET https://api.test/a?b -"], []]);
});

test("a redirect to a path that the limits leave out is blocked before it is sent", async () => {
  const limits = { paths: ["/a", "/c"] };
  const { sent: followed } = await exchanged([to("/c?d"), to("./x/../a"), {}], { limits });
  assert.deepEqual(followed.slice(1), ["GET https://api.test/c?d -", "GET https://api.test/a -"]);
  for (const location of ["/b", "/c/", "/%63", "//api.test/b", "/c/%2e%2e/b"]) {
    const { outcome, sent } = await exchanged([to(location)], { limits });
    assert.deepEqual([outcome, sent.length], ["403 DESTINATION_BLOCKED", 1], location);
  }
});

test("three redirects are followed, each after another check of the host; the fourth is blocked", async () => {
  const three = [to("/1"), to("2?c", 307), to("https://api.test/3", 308)];
  const { outcome, sent, checked, discarded } = await exchanged([...three, {}]);
  assert.equal(outcome, "200 body");
  assert.deepEqual(
    sent.map((each) => each.split(" ")[1]),
    ["/a?b", "/1", "/2?c", "/3"].map((path) => ORIGIN + path),
  );
  assert.deepEqual(checked, [ORIGIN, ORIGIN, ORIGIN]);
  assert.deepEqual(discarded, [1, 2, 3, 4]);
  const blocked = await exchanged([...three, to("/4")]);
  assert.deepEqual([blocked.outcome, blocked.sent.length], ["403 DESTINATION_BLOCKED", 4]);
});

test("a redirect elsewhere is blocked, and nothing further is sent", async () => {
  const { outcome, sent } = await exchanged([to("//evil.test/")]);
  assert.deepEqual([outcome, sent.length], ["403 DESTINATION_BLOCKED", 1]);
});

test("a redirect that makes a GET is refused where the caller may not GET", async () => {
  const { outcome, sent } = await exchanged([to("/1", 303)], { method: "POST", methods: ["POST"] });
  assert.deepEqual([outcome, sent.length], ["405 METHOD_NOT_ALLOWED", 1]);
  const kept = await exchanged([to("/1", 307), {}], { method: "POST", methods: ["POST"] });
  assert.deepEqual(kept.sent, ["POST https://api.test/a?b x", "POST https://api.test/1 x"]);
});

const FAILURES: [error: Error, outcome: string][] = [
  [new DestinationBlocked("api.test resolves to 10.0.0.1"), "403 DESTINATION_BLOCKED"],
  [new UpstreamFailure("ECONNRESET"), "502 UPSTREAM_UNAVAILABLE"],
  [new TypeError("a bug"), "502 UPSTREAM_UNAVAILABLE"],
];
for (const [error, expected] of FAILURES)
  test(`${error.name} ${error.message}: ${expected}, and a line in the log`, async () => {
    const { outcome, logged } = await exchanged([error]);
    assert.equal(outcome, expected);
    assert.equal(logged.length, 1);
    const redirected = await exchanged([to("/1"), error]);
    assert.equal(redirected.outcome, expected);
  });

test("ten seconds are for all requests together: 504, and not before", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  for (const steps of [["never"], [to("/1"), "never"]] satisfies Step[][]) {
    let settled = false;
    const exchanging = exchanged(steps).finally(() => {
      settled = true;
    });
    t.mock.timers.tick(9_999);
    await new Promise(setImmediate);
    assert.equal(settled, false);
    t.mock.timers.tick(1);
    assert.equal((await exchanging).outcome, "504 UPSTREAM_TIMEOUT");
  }
});

test("a caller who disconnects ends the request, without a line in the log", async () => {
  const gone = new AbortController();
  const exchanging = exchanged(["never"], { gone });
  gone.abort();
  assert.deepEqual((await exchanging).logged, []);
});
