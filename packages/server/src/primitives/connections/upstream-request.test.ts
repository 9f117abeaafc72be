import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import type { Config } from "../../config/config.ts";
import type { Header } from "../../drivers/outbound/outbound.ts";
import { runtimeRest } from "../../http/canvas-path.ts";
import { Refusal } from "../../http/refusal.ts";
import { callerHeaders, targetPath, targetUrl, withProtected } from "./upstream-request.ts";

const CONFIG = {
  proxyEmailHeader: "X-Own-Email",
  proxyNameHeader: "X-Own-Name",
  proxyJwtHeader: "X-Own-Token",
} as Config;

/** The names that the profile of the tests adds: `x-000` and so on, and others. */
const ADDED = [
  ...Array.from({ length: 40 }, (_, index) => `x-${String(index).padStart(3, "0")}`),
  ...["x-a", "x-b", "x-kept", "x-last", "x-api-key", "x-own"],
];

/** Returns the headers that the upstream would get for the raw headers of a request, and the names of those that are left out. */
function split(rawHeaders: string[], added: readonly string[]) {
  const connection: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === "connection") connection.push(rawHeaders[index + 1] ?? "");
  const headers = connection.length === 0 ? {} : { connection: connection.join(", ") };
  return callerHeaders({ rawHeaders, headers } as IncomingMessage, added, CONFIG);
}

/** Returns the headers that the upstream would get. */
const sent = (...rawHeaders: string[]): string[] => split(rawHeaders, ADDED).headers.flat();

/** Names of headers that are removed, in various spellings. */
const REMOVED = `
  Authorization AUTHORIZATION Cookie Cookie2 Proxy-Authenticate Proxy-Authorization
  Connection Content-Length Expect Host HTTP2-Settings Keep-Alive Proxy-Connection TE Trailer Transfer-Encoding Upgrade
  Accept-Encoding Content-Encoding
  Access-Control-Request-Method DNT Origin Priority Referer Sec-Fetch-Site sec-ch-ua Sec-WebSocket-Key Upgrade-Insecure-Requests
  X-HTTP-Method-Override X-HTTP-METHOD X-Http-Method x-method-override X-Method HTTP-Method-Override Method-Override
  X-Original-URL X-Original-Host X-Rewrite-URL X-Host X-HTTP-Host-Override X-Accel-Mapping X-Sendfile-Type
  CF-Connecting-IP Client-IP Fastly-Client-IP Fly-Client-IP Forwarded True-Client-IP Via WL-Proxy-Client-IP X-Amzn-Trace-Id
  X-AppEngine-User-Email X-ARR-ClientCert X-Azure-ClientIP X-Client-IP X-Cluster-Client-IP X-Envoy-External-Address X-Forwarded
  X-Forwarded-For X-Forwarded-Host X-Forwarded-Client-Cert X-Forward-For X-Originating-IP X-ProxyUser-IP X-Real-IP X-Vercel-Forwarded-For
  Client-Cert Client-Cert-Chain SSL-Client-S-DN X-SSL-Client-Verify X-Client-DN
  X-Auth-Request-Email X-Auth-Username X-Auth-Groups x-forwarded-user X-Forwarded-Email X-Forwarded-Preferred-Username
  Remote-User Remote-Groups X-Remote-User X-Remote-Extra-Scopes X-WEBAUTH-USER X-Authenticated-User X-Authenticated-Userid
  CF-Access-Jwt-Assertion Cf-Access-Authenticated-User-Email X-Goog-Authenticated-User-Email X-Goog-IAP-JWT-Assertion
  X-Amzn-Oidc-Data X-Amzn-Oidc-Identity X-MS-CLIENT-PRINCIPAL X-MS-Client-Principal-Name X-MS-Token-AAD-Id-Token
  Tailscale-User-Login Teleport-Jwt-Assertion X-authentik-username X-Pomerium-Jwt-Assertion X-Vouch-User X-Consumer-Username
  X-Userinfo IV-User OIDC-Claim-Email Shib-Identity-Provider
  X-Service-Client X-SERVICE-ANYTHING X-Service-Proxy-Secret
  X-Own-Email x-own-name X-OWN-TOKEN
  X_Forwarded_For X_HTTP_Method_Override REMOTE_USER X-Auth-Request_Email X_Custom _ __proto__ X.Forwarded.For X~Real~IP
`
  .trim()
  .split(/\s+/);

for (const name of REMOVED)
  test(`${name} is removed`, () =>
    assert.deepEqual(sent("Accept", "a/b", name, "v", "X-Last", "1"), ["accept", "a/b", "x-last", "1"]));

const SENT = `
  Accept Accept-Language Content-Type Content-Language If-None-Match If-Match User-Agent Range Idempotency-Key SOAPAction Prefer Cache-Control
  X-Request-Id X-Api-Key X-Own
`;
for (const name of SENT.trim().split(/\s+/))
  test(`${name} is sent with its value unchanged`, () =>
    assert.deepEqual(sent(name, " V, w"), [name.toLowerCase(), " V, w"]));

/** Names that APIs and their proxies take for the word of who calls them, or for orders, and names that are only unknown. */
const LEFT_OUT = `
  Proxy Impersonate-User Impersonate-Group Impersonate-Extra-Scopes Sudo X-Sudo X-Hasura-Role X-Hasura-Admin-Secret es-security-runas-user
  X-Scope-OrgID X-Trino-User X-Presto-User X-Middleware-Subrequest X-Auth-Token X-CSRF-Token X-Goog-Api-Key X-Requested-With X-User-Id
  X-Gitlab-Token PRIVATE-TOKEN X-Vault-Token X-Kubernetes-User Api-Key Token Method Constructor Baggage From X-2
`;
for (const name of LEFT_OUT.trim().split(/\s+/))
  test(`${name} is left out unless the profile adds it`, () => {
    const lower = name.toLowerCase();
    const request = ["Accept", "a/b", name, "v", name, "w"];
    assert.deepEqual(split(request, []), { headers: [["accept", "a/b"]], leftOut: [lower] });
    const added = split(request, [lower]);
    assert.deepEqual(added, {
      headers: [
        ["accept", "a/b"],
        [lower, "v"],
        [lower, "w"],
      ],
      leftOut: [],
    });
  });

test("no profile can let through what says who the caller is", () => {
  for (const name of REMOVED)
    assert.deepEqual(split([name, "v"], [name.toLowerCase()]), { headers: [], leftOut: [] }, name);
});

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

test("protected headers replace those that an application reads as the same", () => {
  assert.deepEqual(withProtected([["x-api-key", "caller"]], { X_Api_Key: "secret" }), [
    ["accept-encoding", "identity"],
    ["X_Api_Key", "secret"],
  ]);
});

const ORIGIN = "https://api.test:8443";

/** Each row has the part of a request URL after the profile name, and the path and query that the upstream gets. */
const TARGETS: [after: string, target: string][] = [
  ["", "/"],
  ["/", "/"],
  ["?", "/"],
  ["?q=1", "/?q=1"],
  ["/?q=1", "/?q=1"],
  ["/x/y", "/x/y"],
  ["/x/", "/x/"],
  ["/x?q=%20+&q=/a/..#", "/x?q=%20+&q=/a/.."],
  ["/%2F%2e%2E/%00", "/%2F%2e%2E/%00"],
  ["/a%2e", "/a%2e"],
  ["/a/../../b", "/b"],
  ["/a/%2e%2e/b", "/b"],
  ["/./a/.", "/a/"],
  ["//evil.test/x", "//evil.test/x"],
  ["/\\evil.test", "//evil.test"],
  ["/@evil.test", "/@evil.test"],
  ["/:80@evil.test/", "/:80@evil.test/"],
  ["/https://evil.test/", "/https://evil.test/"],
  ["/connections/other/x", "/connections/other/x"],
  ["/x??y=/", "/x??y=/"],
];
const targetOf = (url: string) => targetPath(runtimeRest(url) ?? "");

for (const start of [
  "/v1/c/tea/connections/weather",
  "/api/canvases/0/runtime/connections/weather",
  "/v1/%63/tea/connections/weather",
  "/v1/c/tea/%63onnections/w%65ather",
])
  for (const [after, target] of TARGETS)
    test(`${start}${after} → ${target}`, () => {
      const { origin, username, password, pathname, search } = targetUrl(targetOf(start + after), ORIGIN);
      assert.deepEqual([origin, username, password, pathname + search], [ORIGIN, "", "", target]);
    });

const LENGTHS: [path: number, query: number, accepted: boolean][] = [
  [8192, 0, true],
  [8193, 0, false],
  [0, 8192, true],
  [0, 8193, false],
  [4096, 4096, true],
  [4096, 4097, false],
];
for (const [path, query, accepted] of LENGTHS)
  test(`a path of ${path} bytes and a query of ${query} bytes are ${accepted ? "accepted" : "refused"}`, () => {
    const target = `/${"p".repeat(path)}${query === 0 ? "" : `?${"q".repeat(query - 1)}`}`;
    const url = `/v1/c/tea/connections/weather${target}`;
    if (accepted) assert.equal(targetOf(url), target);
    else assert.throws(() => targetOf(url), isTooLarge);
  });

for (const path of ["@evil.test/", ".evil.test/", "0/", ":1/"])
  test(`a path that would change the origin, ${path}: 403 DESTINATION_BLOCKED`, () => {
    assert.throws(
      () => targetUrl(path, ORIGIN),
      (error) => error instanceof Refusal && error.code === "DESTINATION_BLOCKED",
    );
  });

test("a trace goes on with a span of the service; what is no trace, and the state of none, stay behind", () => {
  const trace = "0af7651916cd43dd8448eb211c80319c";
  const upstream = (traceparent?: string): Header[] => {
    const rawHeaders = [
      "tracestate",
      "a=1",
      ...(traceparent === undefined ? [] : ["Traceparent", traceparent]),
    ];
    const request = { rawHeaders, headers: { traceparent } } as unknown as IncomingMessage;
    return callerHeaders(request, [], CONFIG).headers;
  };
  const [state, parent, ...more] = upstream(`00-${trace}-b7ad6b7169203331-01`);
  assert.deepEqual([state, more], [["tracestate", "a=1"], []]);
  assert.match(parent?.[1] ?? "", new RegExp(`^00-${trace}-(?!b7ad6b7169203331)[0-9a-f]{16}-01$`));
  for (const none of [undefined, "00-what-ever-01", `00-${trace}-0000000000000000-01`])
    assert.deepEqual(upstream(none), []);
});
