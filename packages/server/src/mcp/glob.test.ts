import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Refusal } from "../http/refusal.ts";
import { matchingFiles, pathMatcher } from "./glob.ts";

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

  it("find the files that match any, each once, and name those that match none", async () => {
    const files = FILES.map((path) => ({ path }));
    const { wanted, missing } = await matchingFiles(files, ["*.js", "app.js", "*.css", "*.css", "none.txt"]);
    assert.deepEqual(
      wanted.map(({ path }) => path),
      ["app.js", "src/main.js", "src/lib/util.js"],
    );
    assert.deepEqual(missing, ["*.css", "none.txt"]);
  });

  it("are limited together, because every path is compared with all of them; names of files are not", async () => {
    const refused = (error: unknown) => error instanceof Refusal && error.code === "INVALID_BODY";
    const long = Array.from({ length: 10 }, (_, index) => `*${"a".repeat(49)}${index}`);
    await assert.rejects(matchingFiles([], long), refused);
    assert.equal((await matchingFiles([], long.slice(1))).missing.length, 9);
    assert.equal((await matchingFiles([], ["a".repeat(600)])).missing.length, 1);
  });

  it("let others run in between", async () => {
    const files = Array.from({ length: 100 }, (_, index) => ({ path: `${index}.txt` }));
    let turns = 0;
    const counting = () => {
      turns++;
      immediate = setImmediate(counting);
    };
    let immediate = setImmediate(counting);
    await matchingFiles(files, ["*"]);
    clearImmediate(immediate);
    assert.ok(turns >= 4, String(turns));
  });
});
