import assert from "node:assert/strict";
import { test } from "node:test";
import { codePoint } from "@easel/conformance/code-point";
import fc from "fast-check";
import { downloadName, isInline, mediaTypeOf, newName, storedName } from "./receive-upload.ts";

const LONG = "x".repeat(10_000);

const UPLOADED: [given: string | undefined, stored: string][] = [
  [undefined, "upload"],
  ["", "upload"],
  ["   ", "upload"],
  ["photo.png", "photo.png"],
  ["  photo.png  ", "photo.png"],
  ["a \"quoted\" 'name'.txt", "a \"quoted\" 'name'.txt"],
  ["a;b=c,d%41%.txt", "a;b=c,d%41%.txt"],
  ["日本🦊.png", "日本🦊.png"],
  ["../../etc/passwd", "passwd"],
  ["..\\..\\boot.ini", "boot.ini"],
  ["C:\\fakepath\\photo.png", "photo.png"],
  ["a/b\\c", "c"],
  ["a/", "upload"],
  [".", "upload"],
  ["..", "upload"],
  ["a/..", "upload"],
  ["......", "upload"],
  [".\0.", "upload"],
  [".profile", ".profile"],
  ["..a", "..a"],
  ["a\r\nSet-Cookie: b=c", "aSet-Cookie: b=c"],
  ["a.png\0.exe", "a.png.exe"],
  ["a\u0085\u2028\u2029\x7fb", "ab"],
  ["photo\u202egnp.exe", "photognp.exe"],
  ["\u2066a\u2069\u200f\u200e\u061c\ufeff.txt", "a.txt"],
  ["a\ud800b", "a\ufffdb"],
  ["con", "con"],
  ["NUL.txt", "NUL.txt"],
  ["__proto__", "__proto__"],
  [LONG, "x".repeat(255)],
  [`${LONG}.png`, `${"x".repeat(251)}.png`],
  [`${LONG}.${"y".repeat(20)}`, `${"x".repeat(234)}.${"y".repeat(20)}`],
  [`${LONG}.${"y".repeat(21)}`, "x".repeat(255)],
  [`${"x".repeat(254)}🦊`, "x".repeat(254)],
  [`${"x".repeat(253)}🦊`, `${"x".repeat(253)}🦊`],
  [`${"x".repeat(250)}🦊.png`, `${"x".repeat(250)}.png`],
  ["🦊".repeat(5_000), "🦊".repeat(127)],
  [`${".".repeat(300)}`, "upload"],
  [`${".".repeat(300)}${"x".repeat(30)}`, "upload"],
  [`${"x".repeat(254)} y`, "x".repeat(254)],
];
for (const [given, stored] of UPLOADED) {
  const title = given === undefined ? "no name" : JSON.stringify(given.slice(0, 30));
  test(`the stored name of an upload with ${title}, ${given?.length ?? 0} characters`, () =>
    assert.equal(storedName(given), stored));
}

test("a stored name is well formed, visible, not a path, and can be given in a rename", () => {
  const characters = fc.constantFrom(
    "/",
    "\\",
    ".",
    " ",
    "\0",
    "\n",
    "\u202e",
    "\ud83e",
    "\udd8a",
    "🦊",
    "x",
    "é",
  );
  const text = fc.oneof(
    fc.string({ unit: codePoint }),
    fc.array(characters, { maxLength: 600 }).map((each) => each.join("")),
  );
  fc.assert(
    fc.property(text, (given) => {
      const name = storedName(given);
      assert.equal(newName(name), name);
      assert.equal(downloadName(name), name);
      assert.equal(storedName(name), name);
      const renamed = newName(given);
      if (renamed !== null) assert.equal(name, renamed);
    }),
  );
});

const RENAMES: [given: unknown, name: string | null][] = [
  ["a", "a"],
  ["  a  ", "a"],
  ["x".repeat(255), "x".repeat(255)],
  [` ${"x".repeat(255)} `, "x".repeat(255)],
  ["a/b", "b"],
  ["../../etc/passwd", "passwd"],
  ["C:\\fakepath\\photo.png", "photo.png"],
  [`${"x".repeat(255)}/a`, "a"],
  ["", null],
  [" \t\n", null],
  ["x".repeat(256), null],
  ["a\nb", "ab"],
  ["a\0", "a"],
  ["a\u202eb", "ab"],
  ["a\u2028b", "ab"],
  ["\ud800", "\ufffd"],
  ["\u202e\0", null],
  ["..", null],
  ["a/", null],
  [undefined, null],
  [null, null],
  [1, null],
  [["a"], null],
  [{}, null],
];
for (const [given, name] of RENAMES) {
  test(`a rename to ${JSON.stringify(given)?.slice(0, 30)}: ${name === null ? "refused" : "accepted"}`, () =>
    assert.equal(newName(given), name));
}

test("the name of a download has no slashes", () => {
  assert.equal(downloadName("../24/7\\a.png"), ".._24_7_a.png");
});

const DEFAULT = "application/octet-stream";

const TYPES: [header: string | undefined, mediaType: string][] = [
  [undefined, DEFAULT],
  ["", DEFAULT],
  [" ", DEFAULT],
  ["image", DEFAULT],
  ["image/", DEFAULT],
  ["/png", DEFAULT],
  ["image/png/x", DEFAULT],
  ["image /png", DEFAULT],
  ["image/png, text/html", DEFAULT],
  ["image/png\r\nX: y", DEFAULT],
  ["image/png\0", DEFAULT],
  ["bild/é", DEFAULT],
  ["*/*", "*/*"],
  ["image/png", "image/png"],
  [" image/png ", "image/png"],
  ["IMAGE/PNG", "image/png"],
  ["Text/HTML; charset=UTF-8", "text/html; charset=utf-8"],
  ["text/plain;charset=iso-8859-1", "text/plain; charset=iso-8859-1"],
  ['text/plain; format=flowed; charset="Shift_JIS"; charset=utf-8', "text/plain; charset=shift_jis"],
  ["text/plain; charset=", "text/plain"],
  ['text/plain; charset="a b"', "text/plain"],
  ['text/plain; charset="a\\"; x=\\"b"', "text/plain"],
  ['text/plain; charset="utf-8, text/html"', "text/plain"],
  ["text/plain; charset=é", "text/plain"],
  ["text/plain; charset=utf-8\r\nX: y", "text/plain"],
  [`text/plain; charset=${"x".repeat(40)}`, `text/plain; charset=${"x".repeat(40)}`],
  [`text/plain; charset=${"x".repeat(41)}`, "text/plain"],
  ["image/png; charset=utf-8", "image/png"],
  ["application/json; charset=utf-16", "application/json"],
  ["image/svg+xml; charset=utf-7", "image/svg+xml"],
  ["text/plain;", "text/plain"],
  ['text/plain; a="; image/png"', "text/plain"],
  ["image/svg+xml", "image/svg+xml"],
  [`text/${"x".repeat(250)}`, `text/${"x".repeat(250)}`],
  [`text/${"x".repeat(251)}`, DEFAULT],
  [`text/${"x".repeat(10_000)}`, DEFAULT],
  [`text/plain; a=${"x".repeat(10_000)}`, "text/plain"],
];
for (const [header, mediaType] of TYPES) {
  test(`${JSON.stringify(header)?.slice(0, 40)} is ${mediaType.slice(0, 40)}`, () =>
    assert.equal(mediaTypeOf(header), mediaType));
}

test("a stored media type is a type and perhaps a charset in visible ASCII, and stays as it is", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: codePoint })), (header) => {
      for (const each of [header, `a/${header}`, `image/png;${header}`, `text/html; charset=${header}`]) {
        const type = mediaTypeOf(each);
        assert.match(
          type,
          /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+(; charset=[0-9a-z_.+-]{1,40})?$/,
        );
        assert.equal(mediaTypeOf(type), type);
      }
    }),
  );
});

test("only the five types of images are inline", () => {
  for (const type of ["png", "jpeg", "gif", "webp", "avif"]) assert.ok(isInline(`image/${type}`), type);
  for (const type of [
    "image/svg+xml",
    "image/bmp",
    "image/x-icon",
    "text/html",
    "text/plain",
    "application/pdf",
    "video/mp4",
    "*/*",
    DEFAULT,
  ])
    assert.ok(!isInline(type), type);
});
