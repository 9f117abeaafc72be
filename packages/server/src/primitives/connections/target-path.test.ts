import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "../../http/refusal.ts";
import { targetPath, targetUrl } from "./target-path.ts";

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
for (const start of [
  "/v1/c/tea/connections/weather",
  "/v1/%63/tea/connections/weather",
  "/v1/c/tea/%63onnections/w%65ather",
])
  for (const [after, target] of TARGETS)
    test(`${start}${after} → ${target}`, () => {
      const { origin, username, password, pathname, search } = targetUrl(targetPath(start + after), ORIGIN);
      assert.deepEqual([origin, username, password, pathname + search], [ORIGIN, "", "", target]);
    });

const isTooLarge = (error: unknown) =>
  error instanceof Refusal && error.status === 413 && error.code === "REQUEST_TOO_LARGE";

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
    if (accepted) assert.equal(targetPath(url), target);
    else assert.throws(() => targetPath(url), isTooLarge);
  });

for (const path of ["@evil.test/", ".evil.test/", "0/", ":1/"])
  test(`a path that would change the origin, ${path}: 403 DESTINATION_BLOCKED`, () => {
    assert.throws(
      () => targetUrl(path, ORIGIN),
      (error) => error instanceof Refusal && error.code === "DESTINATION_BLOCKED",
    );
  });
