import assert from "node:assert/strict";
import { test } from "node:test";
import { LeftOutPaths, leftOutOf } from "./left-out.ts";

test("hidden files and folders and installed packages are left out, at any depth", () => {
  assert.deepEqual(leftOutOf(".env"), { path: ".env", reason: "hidden" });
  assert.deepEqual(leftOutOf("a/.git/objects/x"), { path: "a/.git/", reason: "hidden" });
  assert.deepEqual(leftOutOf("app/node_modules/x/.bin"), {
    path: "app/node_modules/",
    reason: "installed packages",
  });
});

test("what is published is not left out", () => {
  for (const path of ["index.html", ".well-known/x", "a.b/c", "node_modules", "my_node_modules/x"])
    assert.equal(leftOutOf(path), undefined, path);
});

test("a folder is listed once, with the number of its files", () => {
  const paths = new LeftOutPaths();
  for (const path of [".git/a", ".git/b/c", ".env"]) assert.ok(paths.add(path));
  assert.equal(paths.add("index.html"), false);
  assert.deepEqual(
    paths.list.map(({ path, files }) => [path, files]),
    [
      [".git/", 2],
      [".env", null],
    ],
  );
});

test("a folder that is not read has no number", () => {
  const paths = new LeftOutPaths();
  assert.ok(paths.addFolder("a/node_modules"));
  assert.equal(paths.addFolder("a"), false);
  assert.equal(paths.addFolder(".well-known"), false);
  assert.deepEqual(paths.list, [{ path: "a/node_modules/", files: null, reason: "installed packages" }]);
});
