import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import { Refusal } from "../../http/refusal.ts";
import { selectFiles } from "./select-files.ts";

const offer = (paths: string[], size = 1) => selectFiles(paths.map((path) => ({ path, size })));
const NO_START = /no `index.html` at its top/;

const SELECTED: [offered: string[], files: string[], warnings: RegExp[]][] = [
  [["index.html", "a/b.txt"], ["index.html", "a/b.txt"], []],
  [["site/index.html", "site/a.txt"], ["index.html", "a.txt"], []],
  [["site/index.html", ".env", "__MACOSX/x", "site/.git/x"], ["index.html"], []],
  [["site/index.html", "site/.well-known/a"], ["index.html", ".well-known/a"], []],
  [["a/b/index.html"], ["b/index.html"], [NO_START]],
  [["page.html"], ["page.html", "index.html"], [/`page.html`, is served as `index.html` too/]],
  [["site/Page.HTM", "site/a.js"], ["Page.HTM", "a.js", "index.html"], [/`Page.HTM`/]],
  [["one.html", "two.html"], ["one.html", "two.html"], [NO_START]],
  [["a.js", "pages/one.html"], ["a.js", "pages/one.html"], [NO_START]],
  [["404.html"], ["404.html"], [NO_START]],
  [["Index.html"], ["Index.html"], [NO_START]],
  [["page.html", "index.html/a.txt"], ["page.html", "index.html/a.txt"], [NO_START]],
  [["index.html", "node_modules/a/b.js"], ["index.html", "node_modules/a/b.js"], [/`node_modules` folder/]],
  [["index.html", "a/node_modules/b.js"], ["index.html", "a/node_modules/b.js"], [/`node_modules` folder/]],
  [["index.html", "node_modules.txt"], ["index.html", "node_modules.txt"], []],
  [["A/x.txt", "a/y.txt", "index.html"], ["A/x.txt", "a/y.txt", "index.html"], []],
];

for (const [offered, files, warnings] of SELECTED) {
  test(`${offered} are published as ${files}`, async () => {
    const selection = await offer(offered);
    assert.deepEqual(
      selection.files.map(({ path }) => path),
      files,
    );
    assert.equal(selection.warnings.length, warnings.length, String(selection.warnings));
    for (const [index, pattern] of warnings.entries()) assert.match(selection.warnings[index] ?? "", pattern);
  });
}

const REFUSED: [name: string, offered: string[], message: RegExp, size?: number][] = [
  ["nothing", [], /empty/],
  ["dot files alone", [".env", "a/.git/b"], /empty/],
  ["the same path twice", ["a.txt", "a.txt"], /twice/],
  ["paths that differ only in case", ["a/Read.me", "a/read.ME"], /same file on some file systems/],
  ["paths that differ only in case beyond ASCII", ["É.txt", "é.txt"], /same file on some file systems/],
  ["paths that differ only in normalization", ["\u00e9.txt", "e\u0301.txt"], /same file/],
  ["a file that is a folder", ["a", "a/b"], /both a file and a folder/],
  ["a file that is a folder in another case", ["A", "a-b", "a/b"], /both a file and a folder/],
  ["a path above the bundle", ["index.html", "../a"], /does not stay inside/],
  ["a path above the bundle to a dot file", ["index.html", "../.env"], /does not stay inside/],
  ["only absolute paths", ["/a/index.html", "/b"], /does not stay inside/],
  ["only paths above the bundle", ["../a", "../b"], /does not stay inside/],
  ["a folder with a drive", ["C:/index.html", "C:/a"], /does not stay inside/],
  ["a backslash", ["index.html", "a\\b"], /characters/],
  ["a path that is too long", ["index.html", "n".repeat(1025)], /too long/],
  ["too many files", Array.from({ length: 5_001 }, (_, index) => `${index}.txt`), /too many/],
  ["files that are too large together", ["a", "b", "c"], /too large/, LIMITS.bundleUnpackedBytes.value / 2],
];

for (const [name, offered, message, size] of REFUSED) {
  test(`${name}: 400 INVALID_BODY`, async () => {
    await assert.rejects(offer(offered, size), (error) => {
      assert.ok(error instanceof Refusal);
      assert.equal(error.status, 400);
      assert.match(error.message, message);
      return true;
    });
  });
}
