import assert from "node:assert/strict";
import { it } from "node:test";
import { cutLine, lookOf, textOf, visible } from "./file-content.ts";

it("a file is shown by its media type and size", () => {
  const look = (mime: string, size = 100) => lookOf({ mime, size });
  assert.deepEqual(
    [
      look("text/html; charset=utf-8"),
      look("application/octet-stream"),
      look("image/png"),
      look("image/svg+xml"),
      look("font/woff2"),
      look("image/tiff"),
    ],
    ["text", "text", "image", "svg", "other", "other"],
  );
  assert.deepEqual(
    [
      look("text/plain", 1024 ** 2),
      look("text/plain", 1024 ** 2 + 1),
      look("image/svg+xml", 1024 ** 2 + 1),
      look("image/png", 11 * 1024 ** 2),
    ],
    ["text", "other", "other", "other"],
  );
});

it("bytes with a NUL, or that are no UTF-8, are no text", () => {
  assert.equal(textOf(new TextEncoder().encode("é ☃\n")), "é ☃\n");
  assert.equal(textOf(new Uint8Array([65, 0, 66])), null);
  assert.equal(textOf(new Uint8Array([0xff, 0xfe, 65])), null);
});

it("characters that hide or reorder a text are spelled", () => {
  assert.equal(visible("a\u202eb\u2066c\u200bd\x1b"), "a[U+202E]b[U+2066]c[U+200B]d[U+001B]");
  const plain = "\tif (é) { 👩‍👩‍👧 نص }";
  assert.equal(visible(plain), plain);
});

it("a long line is cut so that its first difference is shown", () => {
  assert.deepEqual(cutLine("short", "other"), { before: 0, text: "short", after: 0 });
  const line = `${"a".repeat(5_000)}X${"b".repeat(5_000)}`;
  const cut = cutLine(line, `${"a".repeat(5_000)}Y`);
  assert.deepEqual([cut.before, cut.text.length, cut.text[60]], [4_940, 1_000, "X"]);
  assert.equal(cut.before + cut.text.length + cut.after, line.length);
  assert.deepEqual(cutLine(line, "").before, 0);
});
