import assert from "node:assert/strict";
import { test } from "node:test";
import { apiPath, type CanvasPath, contentPath, parseCanvasPath } from "./canvas-path.ts";

const content = (slug: string, rest: string): CanvasPath => ({ surface: "content", slug, rest });
const api = (slug: string, rest: string): CanvasPath => ({ surface: "api", slug, rest });

const PATHS: [path: string, parts: CanvasPath | null][] = [
  ["/c/tea/", content("tea", "/")],
  ["/c/tea", content("tea", "")],
  ["/c/tea?a=1", content("tea", "?a=1")],
  ["/c/tea/a/b.html?to=/c/other/", content("tea", "/a/b.html?to=/c/other/")],
  ["/c/tea//a", content("tea", "//a")],
  ["/c/te%61/%ff", content("te%61", "/%ff")],
  ["/%63/tea/", content("tea", "/")],
  ["/c/", content("", "")],
  ["/c", content("", "")],
  ["/v1/c/tea/kv/a%2Fb?x", api("tea", "/kv/a%2Fb?x")],
  ["/v1/%63/tea/me", api("tea", "/me")],
  ["/v1/c/tea", api("tea", "")],
  ["/v1/c//me", api("", "/me")],
  ["", null],
  ["/", null],
  ["/canvases", null],
  ["/C/tea/", null],
  ["//c/tea/", null],
  ["/v1/", null],
  ["/v2/c/tea/", null],
  ["/api/c/tea/", null],
  ["/?to=/c/tea/", null],
  ["http://localhost/c/tea/", null],
];

for (const [path, parts] of PATHS)
  test(`${path || "nothing"} is ${JSON.stringify(parts)}`, () =>
    assert.deepEqual(parseCanvasPath(path), parts));

test("built paths are parsed into their parts", () => {
  assert.deepEqual(parseCanvasPath(`${contentPath("tea")}/a`), content("tea", "/a"));
  assert.deepEqual(parseCanvasPath(`${apiPath("tea")}/me`), api("tea", "/me"));
});
