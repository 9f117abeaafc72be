import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pathMatcher } from "./glob.ts";

const FILES = ["index.html", "app.js", "src/main.js", "src/lib/util.js", "src/lib/a[1].txt", "img/cat.png"];

describe("patterns of paths", () => {
  for (const [pattern, expected] of [
    ["index.html", ["index.html"]],
    ["./index.html", ["index.html"]],
    ["/src/main.js", ["src/main.js"]],
    ["main.js", []],
    ["*.js", ["app.js", "src/main.js", "src/lib/util.js"]],
    ["src/*.js", ["src/main.js"]],
    ["src/**", ["src/main.js", "src/lib/util.js", "src/lib/a[1].txt"]],
    ["src/", ["src/main.js", "src/lib/util.js", "src/lib/a[1].txt"]],
    ["**/*.js", ["app.js", "src/main.js", "src/lib/util.js"]],
    ["src/**/*.js", ["src/main.js", "src/lib/util.js"]],
    ["**", FILES],
    ["", FILES],
    ["src/?ib/*", ["src/lib/util.js", "src/lib/a[1].txt"]],
    ["src/lib/a[1].txt", ["src/lib/a[1].txt"]],
    ["*[1]*", ["src/lib/a[1].txt"]],
    ["i*x.h*l", ["index.html"]],
    ["src", []],
    ["../*", []],
  ] as const)
    it(JSON.stringify(pattern), () => assert.deepEqual(FILES.filter(pathMatcher(pattern)), expected));

  it("take a time that does not explode", () => {
    const path = `${"a".repeat(1_000)}/${"a/".repeat(500)}b`;
    assert.equal(pathMatcher(`${"*a".repeat(400)}c/${"**/".repeat(400)}c`)(path), false);
  });
});
