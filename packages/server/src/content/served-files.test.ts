import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServedFile } from "../drivers/canvas-content.ts";
import { chooseRepresentation, etagOf } from "./served-files.ts";

const file = (encoding: ServedFile["encoding"], size: number): ServedFile => ({
  path: "index.html",
  encoding,
  mime: "text/html; charset=utf-8",
  key: "0123456789abcdef".repeat(4),
  size,
});
const plain = file("identity", 1000);
const all = [plain, file("br", 300), file("gzip", 400)];

test("every representation has its own strong ETag", () => {
  const tags = all.map(etagOf);
  assert.equal(new Set(tags).size, 3);
  for (const tag of tags) assert.match(tag, /^"[0-9a-z-]+"$/);
  const renamed: ServedFile = { ...plain, path: "other.html" };
  assert.equal(etagOf(plain), etagOf(renamed));
});

const encodings: [header: string | undefined, chosen: ServedFile["encoding"]][] = [
  [undefined, "identity"],
  ["", "identity"],
  ["gzip, deflate, br, zstd", "br"],
  ["gzip", "gzip"],
  ["GZIP", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["br; q=0 , gzip;q=0.5", "gzip"],
  ["br;q=0.000,gzip;q=0", "identity"],
  ["br;q=0.001", "br"],
  ["gzip;q=1.0, br;q=0.1", "br"],
  ["identity", "identity"],
  ["brotli, gzipped", "identity"],
];

for (const [header, chosen] of encodings) {
  test(`Accept-Encoding: ${header ?? "(absent)"} gets ${chosen}`, () => {
    const headers = header === undefined ? {} : { "accept-encoding": header };
    assert.equal(chooseRepresentation(all, headers).encoding, chosen);
  });
}

test("a range is of the uncompressed bytes", () => {
  assert.equal(chooseRepresentation(all, { "accept-encoding": "br, gzip", range: "bytes=0-1" }), plain);
});

test("the uncompressed bytes are sent where no variant is smaller", () => {
  assert.equal(chooseRepresentation([plain, file("br", 1000)], { "accept-encoding": "br" }), plain);
  assert.equal(chooseRepresentation([plain], { "accept-encoding": "br, gzip" }), plain);
});
