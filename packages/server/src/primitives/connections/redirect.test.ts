import assert from "node:assert/strict";
import { test } from "node:test";
import type { Header, OutboundResponse } from "../../drivers/outbound/outbound.ts";
import { Refusal } from "../../http/refusal.ts";
import { locationOf, redirected, redirectTarget } from "./redirect.ts";

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

const ORIGIN = "https://api.test:8443";
const FROM = new URL(`${ORIGIN}/v1/list?page=1`);

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
    const { origin, pathname, search } = redirectTarget(location, FROM, ORIGIN);
    assert.deepEqual([origin, pathname + search], [ORIGIN, target]);
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
      () => redirectTarget(location, FROM, ORIGIN),
      (error) => error instanceof Refusal && error.status === 403 && error.code === "DESTINATION_BLOCKED",
    );
  });

/** For each redirect status, the methods that stay as they are, and those that become a GET without a body. */
const METHODS: [status: number, kept: string[], becomeGet: string[]][] = [
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
for (const [status, kept, becomeGet] of METHODS) {
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
