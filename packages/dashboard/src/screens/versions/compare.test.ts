import assert from "node:assert/strict";
import { it } from "node:test";
import { compareFiles } from "./compare.ts";

const file = (path: string, sha256 = path, size = 1) => ({ path, sha256, size, mime: "text/plain" });
const compared = (before: ReturnType<typeof file>[], after: ReturnType<typeof file>[]) =>
  compareFiles(before, after).map(({ kind, path, before, after }) => [
    kind,
    path,
    before?.path ?? null,
    after?.path ?? null,
  ]);

it("versions with the same files do not differ", () => {
  assert.deepEqual(compared([file("a"), file("b")], [file("b"), file("a")]), []);
});

it("files are added, removed and changed, sorted by path", () => {
  assert.deepEqual(compared([file("c", "1"), file("b")], [file("c", "2"), file("a")]), [
    ["added", "a", null, "a"],
    ["removed", "b", "b", null],
    ["changed", "c", "c", "c"],
  ]);
});

it("a file that is removed here and added there with the same bytes is renamed, by its name if several have them", () => {
  assert.deepEqual(
    compared(
      [file("x/one.js", "same"), file("x/two.js", "same"), file("x/three.js", "same")],
      [file("y/two.js", "same"), file("y/other.js", "same")],
    ),
    [
      ["removed", "x/three.js", "x/three.js", null],
      ["renamed", "y/other.js", "x/one.js", "y/other.js"],
      ["renamed", "y/two.js", "x/two.js", "y/two.js"],
    ],
  );
});

it("a copy of a file that stays is added, and two that swap their bytes are changed", () => {
  assert.deepEqual(compared([file("a", "1")], [file("a", "1"), file("b", "1")]), [["added", "b", null, "b"]]);
  assert.deepEqual(
    compared([file("a", "1"), file("b", "2")], [file("a", "2"), file("b", "1")]).map(([kind]) => kind),
    ["changed", "changed"],
  );
});

it("empty files are all the same, so they count as no rename", () => {
  assert.deepEqual(
    compared([file("a", "empty", 0)], [file("b", "empty", 0)]).map(([kind]) => kind),
    ["removed", "added"],
  );
});

it("names that objects have by themselves are paths like others", () => {
  assert.deepEqual(compared([file("__proto__", "1")], [file("__proto__", "2"), file("constructor")]), [
    ["changed", "__proto__", "__proto__", "__proto__"],
    ["added", "constructor", null, "constructor"],
  ]);
});
