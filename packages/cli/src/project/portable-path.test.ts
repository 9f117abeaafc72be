import assert from "node:assert/strict";
import { test } from "node:test";
import { unportablePaths } from "./portable-path.ts";

const PORTABLE = [
  "index.html",
  "assets/a b/ü.css",
  ".well-known/security.txt",
  "a.b.c/d-e_f.min.js",
  "👩‍👧.png",
  "gitignore",
  "git~a",
  "notes.txt~",
  "a-long-name~1.txt",
  "console.js",
  "auxiliary/com10.txt",
  "com0",
  `${"x".repeat(251)}.txt`,
];
for (const path of PORTABLE)
  test(`every system can hold ${JSON.stringify(path.slice(0, 40))}`, () => {
    assert.deepEqual(unportablePaths([path]), []);
  });

const DOT = /leads to a dot file/;
const SHORT = /short for another/;
const DEVICE = /device of Windows/;
const CHARACTERS = /characters that Windows does not allow/;
const END = /ends with a dot or a space/;

/** Paths that some system cannot hold, and their faults. */
const FAULTS: [path: string, fault: RegExp][] = [
  // As in git: `.git` on every system, NTFS and HFS+.
  [".git/config", DOT],
  [".GIT/config", DOT],
  [".git./config", DOT],
  [".git ...../config", DOT],
  [".git::$INDEX_ALLOCATION/config", DOT],
  ["git~1/config", SHORT],
  ["GIT~1", SHORT],
  ["git~1. . /config", END],
  ["git~1:stream", CHARACTERS],
  ["a/git~12/b", SHORT],
  ["gi7eba~1", SHORT],
  ["GITMOD~1", SHORT],
  ["gi7d29~9", SHORT],
  ["easel~1/project.json", SHORT],
  ["ENV~1.LOC", SHORT],
  ["\u200c.git/config", DOT],
  [".g\u200cit/config", DOT],
  ["\ufeff.\u202eg\u206ait/config", DOT],
  ["a/\u200d.easel/project.json", DOT],
  ["\u200e.gitattributes", DOT],
  [".gitmodules", DOT],
  [".easel/project.json", DOT],
  ["a/.well-known/x", DOT],
  ["\u200d/a", /ignores/],
  // Names of devices.
  ["con", DEVICE],
  ["aux.js", DEVICE],
  ["a/NUL.tar.gz", DEVICE],
  ["Com1", DEVICE],
  ["lpt\u00b2.txt", DEVICE],
  ["prn .txt", DEVICE],
  ["CONIN$", DEVICE],
  ["nul/a", DEVICE],
  // Names that Windows changes or does not allow.
  ["a.", END],
  ["a /b", END],
  ["ab:c", CHARACTERS],
  ["what?.html", CHARACTERS],
  ['a"b', CHARACTERS],
  ["a|b", CHARACTERS],
  ["a\\b", /characters that a path cannot have/],
  ["a\u0085b", /characters that a path cannot have/],
  ["a\u001b", /characters that a path cannot have/],
  // Paths that lead out.
  ["../a", /inside the bundle/],
  ["a/../b", /inside the bundle/],
  ["/a", /inside the bundle/],
  ["c:/a", /inside the bundle/],
  ["x".repeat(256), /255 bytes/],
  ["ü".repeat(128), /255 bytes/],
];
for (const [path, fault] of FAULTS)
  test(`some system cannot hold ${JSON.stringify(path.slice(0, 40))}`, () => {
    const [found] = unportablePaths(["index.html", path]);
    assert.equal(found?.path, path);
    assert.match(found.fault, fault);
  });

/** Paths that are the same on some system. */
const SAME: [string, string][] = [
  ["index.html", "Index.html"],
  ["a/b", "A/b"],
  ["Assets/a", "assets/b"],
  ["a", "A/b"],
  ["a/b", "A"],
  ["ü.css", "u\u0308.css"],
  ["straße", "STRASSE"],
  ["K.txt", "\u212a.txt"],
  ["ab", "a\u200db"],
  ["a", "a"],
];
for (const [one, other] of SAME)
  test(`${JSON.stringify(one)} and ${JSON.stringify(other)} are the same on some system`, () => {
    const [found, ...more] = unportablePaths([one, "other/c", other]);
    assert.deepEqual([found?.path, more], [other, []]);
    assert.match(found?.fault ?? "", /is the same as/);
  });

test("files in the same folder are not the same", () => {
  assert.deepEqual(unportablePaths(["a/b/c", "a/b/d", "a/e", "f", "aa"]), []);
});
