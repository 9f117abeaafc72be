import assert from "node:assert/strict";
import { test } from "node:test";
import { createEasel, EaselError, NotFoundError, QuotaExceededError } from "../src/index.ts";
import { fakeFetch, page } from "./support.ts";

const UPSTREAM = { "x-service-connection-response": "upstream" };

function answered(answer: () => Response | Promise<Response>) {
  const { fetch, calls } = fakeFetch(answer);
  return { ...createEasel({ ...page, fetch }), calls };
}

const upstream = (status = 200, body: string | null = "tea") =>
  answered(() => new Response(body, { status, headers: UPSTREAM }));

const refusal = (status: number, code: string) => answered(() => Response.json({ code }, { status }));

const invalid = { name: "EaselError", code: "INVALID_BODY", status: 400 };

const PATHS: [path: string, sent: string][] = [
  ["", "/"],
  ["/", "/"],
  ["v1/forecast", "/v1/forecast"],
  ["/v1/forecast", "/v1/forecast"],
  ["/a/", "/a/"],
  ["?q=1", "/?q=1"],
  ["/a?b=c&b=d?e/../f", "/a?b=c&b=d?e/../f"],
  ["/a?q=%2F%25+%C3%A9&r=é ü", "/a?q=%2F%25+%C3%A9&r=%C3%A9%20%C3%BC"],
  ["/a#b", "/a"],
  ["/é ü", "/%C3%A9%20%C3%BC"],
  ["/%C3%A9%20%2f%2F%25%252F", "/%C3%A9%20%2f%2F%25%252F"],
  ["/%zz%", "/%zz%"],
  ["/v1/items:search", "/v1/items:search"],
  ["items:search", "/items:search"],
  ["/a?next=https://else.example/", "/a?next=https://else.example/"],
  ["//else.example/a", "//else.example/a"],
  ["/\\else.example/a", "//else.example/a"],
  ["\\\\else.example\\a", "//else.example/a"],
  ["a\\..\\b", "/b"],
  ["/a/./b/../c", "/a/c"],
  ["..", "/"],
  ["../kv/x", "/kv/x"],
  ["/../../../kv/x", "/kv/x"],
  ["a/../../other/x", "/other/x"],
  ["%2e%2e/%2E./.%2e/kv", "/kv"],
  [".\t./.\n./kv", "/kv"],
  ["..%2f..%2fkv", "/..%2f..%2fkv"],
  ["@else.example", "/@else.example"],
  [":8443/a", "/:8443/a"],
];

for (const [path, sent] of PATHS)
  test(`the path ${JSON.stringify(path)} is sent as ${sent}`, async () => {
    let url = "";
    const { connections } = createEasel({
      ...page,
      fetch: async (given) => {
        url = given;
        return new Response("tea", { headers: UPSTREAM });
      },
    });
    await connections.fetch("weather", path);
    assert.equal(url, `https://easel.example/v1/c/tea/connections/weather${sent}`);
    // The browser parses the address once more, which must not change it.
    assert.equal(new URL(url).href, url);
  });

test("invalid arguments are refused before anything is sent", async () => {
  const { connections, calls } = upstream();
  for (const path of ["https://else.example/a", " HTTPS://else.example", "wss://else.example"])
    await assert.rejects(connections.fetch("weather", path), { ...invalid, message: /origin/ });
  await assert.rejects(connections.fetch("weather", 7 as never), invalid);
  for (const profile of ["", ".", "..", "\ud800"])
    await assert.rejects(connections.fetch(profile, "/"), invalid);
  const options: RequestInit[] = [
    { body: "tea" },
    { method: "HEAD", body: "" },
    { method: "trace" },
    { method: "a b" },
    { headers: { "a b": "c" } },
    { headers: { a: "é€" } },
  ];
  for (const init of options) await assert.rejects(connections.fetch("weather", "/", init), invalid);
  assert.deepEqual(calls, []);
});

test("a name cannot leave its segment", async () => {
  const { connections, calls } = upstream();
  await connections.fetch("a/../b?c", "/x");
  assert.equal(calls[0]?.path, "/connections/a%2F..%2Fb%3Fc/x");
});

test("options reach fetch, except those that the SDK sets", async () => {
  const { connections, calls } = upstream();
  const { signal } = new AbortController();
  const init = { headers: { "if-none-match": '"1"' }, body: "tea", signal, cache: "no-store" } as const;
  const ours = { credentials: "omit", referrerPolicy: "no-referrer", redirect: "follow" } as const;
  await connections.fetch("weather", "/", { ...init, ...ours, method: "patch" });
  await connections.fetch("weather", "/");
  const fixed = { credentials: "include", referrerPolicy: "same-origin", redirect: "manual" };
  assert.deepEqual(
    calls.map(({ init }) => init),
    [
      { ...init, method: "PATCH", ...fixed },
      { method: "GET", ...fixed },
    ],
  );
});

test("a body that is a stream is not read before it is sent", async () => {
  const { connections, calls } = upstream();
  const body = new Blob(["tea"]).stream();
  await connections.fetch("weather", "/", { method: "POST", body, duplex: "half" } as RequestInit);
  assert.equal(await new Response(calls[0]?.init.body).text(), "tea");
});

test("a response of the upstream is returned whatever its status, untouched", async () => {
  for (const status of [200, 201, 204, 304, 400, 401, 403, 404, 413, 429, 500, 502, 503]) {
    const { connections, calls } = upstream(status, status === 204 || status === 304 ? null : "tea");
    const response = await connections.fetch("weather", "/");
    assert.equal(response.status, status);
    assert.equal(response.bodyUsed, false);
    assert.equal(await response.text(), status === 204 || status === 304 ? "" : "tea");
    assert.equal(calls.length, 1);
  }
});

const REFUSALS: [status: number, code: string, type: new (...given: never[]) => EaselError, seen?: string][] =
  [
    [403, "PERMISSION_DENIED", EaselError],
    [403, "STATIC_ONLY", EaselError],
    [403, "DESTINATION_BLOCKED", EaselError],
    [404, "CONNECTION_NOT_GRANTED", EaselError],
    [404, "OWNER_ONLY", NotFoundError, "NOT_FOUND"],
    [405, "METHOD_NOT_ALLOWED", EaselError],
    [413, "REQUEST_TOO_LARGE", QuotaExceededError],
    [429, "CONNECTION_RATE_LIMIT", QuotaExceededError],
    [429, "CONNECTION_LIMIT", QuotaExceededError],
    [429, "RATE_LIMITED", EaselError],
    [502, "UPSTREAM_UNAVAILABLE", EaselError],
    [502, "RESPONSE_TOO_LARGE", EaselError],
    [503, "CONNECTION_DISABLED", EaselError],
    [503, "CONNECTION_KEY_UNAVAILABLE", EaselError],
    [504, "UPSTREAM_TIMEOUT", EaselError],
  ];

for (const [status, code, type, seen = code] of REFUSALS)
  test(`${status} ${code} of the service throws ${type.name}, after one request`, async () => {
    const { connections, calls } = refusal(status, code);
    await assert.rejects(connections.fetch("weather", "/"), (error) => {
      assert.ok(error instanceof EaselError);
      assert.deepEqual([error.constructor, error.code, error.status], [type, seen, status]);
      return true;
    });
    assert.equal(calls.length, 1);
  });

test("a success without the marker of the upstream is an error", async () => {
  for (const headers of [{}, { "x-service-connection-response": "other" }]) {
    const { connections } = answered(() => new Response("Sign in, please.", { headers }));
    const failure = { name: "EaselError", code: "REQUEST_FAILED", status: 200 };
    await assert.rejects(connections.fetch("weather", "/"), failure);
  }
});

test("a network failure and an abort are reported as by other calls", async () => {
  const cause = new TypeError("offline");
  const { connections } = answered(() => Promise.reject(cause));
  const failure = { name: "EaselError", status: 0, code: "REQUEST_FAILED", cause };
  await assert.rejects(connections.fetch("weather", "/"), failure);

  const reason = new Error("changed my mind");
  const isReason = (error: unknown) => error === reason;
  const early = upstream();
  await assert.rejects(
    early.connections.fetch("weather", "/", { signal: AbortSignal.abort(reason) }),
    isReason,
  );
  assert.equal(early.calls.length, 0);
  const stop = new AbortController();
  const late = answered(() => {
    stop.abort(reason);
    return Promise.reject(new TypeError("aborted"));
  });
  await assert.rejects(late.connections.fetch("weather", "/", { signal: stop.signal }), isReason);
});

test("`status` is what `me` says of a profile, and nothing for one that is not granted", async () => {
  const weather = { invoke: true, methods: ["GET"] };
  const me = { resources: { connections: { weather } } };
  const { connections, calls } = answered(() => Response.json(me));
  assert.deepEqual(await connections.status("weather"), weather);
  const none = { invoke: false, methods: [] };
  for (const name of ["tickets", "constructor", "__proto__", ""])
    assert.deepEqual(await connections.status(name), none, name);
  assert.deepEqual(new Set(calls.map(({ path }) => path)), new Set(["/me"]));
});
