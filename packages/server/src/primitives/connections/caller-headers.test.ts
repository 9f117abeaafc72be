import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import type { Config } from "../../config/config.ts";
import type { Header } from "../../drivers/outbound/outbound.ts";
import { Refusal } from "../../http/refusal.ts";
import { callerHeaders, withProtected } from "./caller-headers.ts";

const CONFIG = {
  proxyEmailHeader: "X-Own-Email",
  proxyNameHeader: "X-Own-Name",
  proxyJwtHeader: "X-Own-Token",
} as Config;

/** Returns the headers that the upstream would get for the raw headers of a request. */
function sent(...rawHeaders: string[]): string[] {
  const connection: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === "connection") connection.push(rawHeaders[index + 1] ?? "");
  const headers = connection.length === 0 ? {} : { connection: connection.join(", ") };
  return callerHeaders({ rawHeaders, headers } as IncomingMessage, CONFIG).flat();
}

/** Names of headers that are removed, in various spellings. */
const REMOVED = [
  "Accept-Encoding",
  "AUTHORIZATION",
  "authorization",
  "Connection",
  "Content-Encoding",
  "Content-Length",
  "Cookie",
  "Cookie2",
  "DNT",
  "Expect",
  "Forwarded",
  "Host",
  "HTTP2-Settings",
  "Keep-Alive",
  "Origin",
  "Priority",
  "Proxy-Authenticate",
  "Proxy-Authorization",
  "Proxy-Connection",
  "Referer",
  "TE",
  "Trailer",
  "Transfer-Encoding",
  "Upgrade",
  "Upgrade-Insecure-Requests",
  "Via",
  "Access-Control-Request-Method",
  "CF-Access-Jwt-Assertion",
  "CF-Connecting-IP",
  "Client-IP",
  "Fastly-Client-IP",
  "Fly-Client-IP",
  "Sec-Fetch-Site",
  "sec-ch-ua",
  "Sec-WebSocket-Key",
  "Tailscale-User-Login",
  "True-Client-IP",
  "X-Amzn-Oidc-Data",
  "X-Auth-Request-Email",
  "X-Client-IP",
  "X-Cluster-Client-IP",
  "X-Envoy-External-Address",
  "X-Forwarded",
  "X-Forwarded-For",
  "X-Forwarded-Host",
  "x-forwarded-user",
  "X-Goog-Authenticated-User-Email",
  "X-Goog-IAP-JWT-Assertion",
  "X-MS-Client-Principal-Name",
  "X-Original-URL",
  "X-Real-IP",
  "X-Rewrite-URL",
  "X-Service-Client",
  "X-SERVICE-ANYTHING",
  "X-Own-Email",
  "x-own-name",
  "X-OWN-TOKEN",
];

for (const name of REMOVED)
  test(`${name} is removed`, () =>
    assert.deepEqual(sent("Accept", "a/b", name, "v", "X-Last", "1"), ["accept", "a/b", "x-last", "1"]));

for (const name of [
  "Accept",
  "Accept-Language",
  "Content-Type",
  "If-None-Match",
  "User-Agent",
  "X-Api-Key",
  "X-Own",
  "Security",
  "Range",
  "__proto__",
])
  test(`${name} is sent with its value unchanged`, () =>
    assert.deepEqual(sent(name, " V, w"), [name.toLowerCase(), " V, w"]));

test("repeated headers are sent repeatedly and in their order", () => {
  assert.deepEqual(sent("X-A", "1", "X-B", "2", "x-a", "3"), ["x-a", "1", "x-b", "2", "x-a", "3"]);
});

test("headers that any Connection header names are removed, case-insensitively", () => {
  const headers = [
    "Connection",
    "close, X-Hop",
    "X-Hop",
    "1",
    "x-other",
    "2",
    "connection",
    " X-OTHER ,",
    "X-Kept",
    "3",
  ];
  assert.deepEqual(sent(...headers), ["x-kept", "3"]);
});

/** Returns `count` headers whose names and values have `bytes` bytes in all. */
function headersOf(count: number, bytes: number): string[] {
  const names = Array.from({ length: count }, (_, index) => `x-${String(index).padStart(3, "0")}`);
  const share = Math.floor(bytes / count) - 5;
  return names.flatMap((name, index) => [
    name,
    "v".repeat(index === 0 ? bytes - share * (count - 1) - 5 * count : share),
  ]);
}

const isTooLarge = (error: unknown) =>
  error instanceof Refusal && error.status === 413 && error.code === "REQUEST_TOO_LARGE";

const LIMITS: [count: number, bytes: number, accepted: boolean][] = [
  [32, 1_000, true],
  [33, 1_000, false],
  [1, 16_384, true],
  [1, 16_385, false],
  [32, 16_384, true],
  [32, 16_385, false],
];
for (const [count, bytes, accepted] of LIMITS)
  test(`${count} headers of ${bytes} bytes are ${accepted ? "sent" : "refused"}`, () => {
    const headers = headersOf(count, bytes);
    assert.equal(headers.join("").length, bytes);
    if (accepted) assert.deepEqual(sent(...headers), headers);
    else assert.throws(() => sent(...headers), isTooLarge);
  });

test("headers that are removed do not count", () => {
  const removed = REMOVED.flatMap((name) => [name, "v".repeat(1_000)]);
  const headers = headersOf(32, 16_384);
  assert.deepEqual(sent(...removed, ...headers), headers);
});

test("protected headers replace those of the caller, whatever the case, and nothing is compressed", () => {
  const headers: Header[] = [
    ["x-api-key", "caller"],
    ["accept", "a/b"],
    ["x-api-key", "again"],
  ];
  assert.deepEqual(withProtected(headers, { "X-Api-Key": "secret", authorization: "Bearer t" }), [
    ["accept", "a/b"],
    ["accept-encoding", "identity"],
    ["X-Api-Key", "secret"],
    ["authorization", "Bearer t"],
  ]);
  assert.deepEqual(withProtected([], {}), [["accept-encoding", "identity"]]);
});
