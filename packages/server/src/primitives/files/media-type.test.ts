import assert from "node:assert/strict";
import { test } from "node:test";
import { codePoint } from "@easel/conformance/code-point";
import fc from "fast-check";
import { isInline, mediaTypeOf } from "./media-type.ts";

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
