import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newWork } from "../../test/support/work.ts";
import { Turns } from "../async/event-loop-turns.ts";
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
    const { wanted, missing } = await matchingFiles(
      files,
      ["*.js", "app.js", "*.css", "*.css", "none.txt"],
      newWork(),
    );
    assert.deepEqual(
      wanted.map(({ path }) => path),
      ["app.js", "src/main.js", "src/lib/util.js"],
    );
    assert.deepEqual(missing, ["*.css", "none.txt"]);
  });

  it("are limited together, because every path is compared with all of them; names of files are not", async () => {
    const refused = (error: unknown) => error instanceof Refusal && error.code === "INVALID_BODY";
    const long = Array.from({ length: 10 }, (_, index) => `*${"a".repeat(49)}${index}`);
    await assert.rejects(matchingFiles([], long, newWork()), refused);
    assert.equal((await matchingFiles([], long.slice(1), newWork())).missing.length, 9);
    assert.equal((await matchingFiles([], ["a".repeat(600)], newWork())).missing.length, 1);
  });

  it("are refused when comparing them takes too much work", async () => {
    const files = Array.from({ length: 1_000 }, (_, index) => ({ path: `${"a".repeat(500)}${index}` }));
    const slow = Array.from({ length: 9 }, (_, index) => `*${"a".repeat(40)}b${index}`);
    await assert.rejects(
      matchingFiles(files, slow, newWork()),
      (error) => error instanceof Refusal && String(error.body.hint).includes("name the files"),
    );
    assert.equal((await matchingFiles(files, ["**"], newWork())).wanted.length, files.length);
  });

  it("let others run in between", async () => {
    let now = 0;
    const files = Array.from({ length: 100 }, (_, index) => ({ path: `${index}.txt` }));
    let turns = 0;
    const counting = () => {
      turns++;
      immediate = setImmediate(counting);
    };
    let immediate = setImmediate(counting);
    const work = newWork(new Turns(() => now++));
    await matchingFiles(files, ["*"], work);
    clearImmediate(immediate);
    assert.ok(turns >= 4, String(turns));
  });
});
