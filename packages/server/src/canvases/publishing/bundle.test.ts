import assert from "node:assert/strict";
import { test } from "node:test";
import { pathFault } from "@easel/protocol/bundle";
import fc from "fast-check";

const OUTSIDE = "does not stay inside the bundle";
const CHARACTERS = "has characters that a path cannot have";
const LONG = "is too long";
const PROOF = "is reserved for proofs to certificate authorities";

const good = [
  "index.html",
  "a/b/c.txt",
  ".well-known/thing",
  ".well-known/acme-challenges/thing",
  "a/.well-known/acme-challenge/thing",
  "...",
  "a..b",
  "a b.txt",
  "crème/お茶.html",
  "a/C:/thing",
  "%2e%2e/thing",
  "__proto__/constructor",
  "a".repeat(1024),
];
const bad: [path: string, fault: string][] = [
  ["", OUTSIDE],
  ["/index.html", OUTSIDE],
  ["folder/", OUTSIDE],
  ["a//b", OUTSIDE],
  [".", OUTSIDE],
  ["..", OUTSIDE],
  ["./a", OUTSIDE],
  ["../a", OUTSIDE],
  ["a/../b", OUTSIDE],
  ["a/..", OUTSIDE],
  ["a/./b", OUTSIDE],
  ["C:/thing", OUTSIDE],
  ["c:thing", OUTSIDE],
  ["a\\b", CHARACTERS],
  ["..\\a", CHARACTERS],
  ["a\u0000b", CHARACTERS],
  ["a\nb", CHARACTERS],
  ["a\u007fb", CHARACTERS],
  ["a\u0085b", CHARACTERS],
  ["a\ud800b", CHARACTERS],
  ["a".repeat(1025), LONG],
  ["é".repeat(513), LONG],
  [".well-known/acme-challenge/token", PROOF],
  [".well-known/acme-challenge", PROOF],
  [".well-known/ACME-Challenge/a/b", PROOF],
];

for (const path of good) {
  test(`${path.slice(0, 40)} can be served`, () => assert.equal(pathFault(path), undefined));
}
for (const [path, fault] of bad) {
  test(`${JSON.stringify(path.slice(0, 20))} ${fault}`, () => assert.equal(pathFault(path), fault));
}

test("a valid path stays below its folder", () => {
  const piece = fc.constantFrom("a", "..", ".", "", "/", "\\", "%2e", "\t", "é", "?", "#", " ", ":");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const path = pieces.join("");
      if (pathFault(path) !== undefined) return;
      const encoded = path.split("/").map(encodeURIComponent).join("/");
      const { pathname } = new URL(`https://host/bundle/${encoded}`);
      assert.equal(decodeURIComponent(pathname), `/bundle/${path}`);
    }),
  );
});
