import assert from "node:assert/strict";
import { test } from "node:test";
import { isCompressible, mimeOf } from "./representations.ts";

/** Paths, their content types, and whether such content is worth compressing. */
const rows: [path: string, type: string, compressible: boolean][] = [
  ["index.html", "text/html; charset=utf-8", true],
  ["INDEX.HTML", "text/html; charset=utf-8", true],
  ["style.css", "text/css; charset=utf-8", true],
  ["app.js", "text/javascript; charset=utf-8", true],
  ["app.mjs", "text/javascript; charset=utf-8", true],
  ["app.cjs", "text/javascript; charset=utf-8", true],
  ["app.min.js", "text/javascript; charset=utf-8", true],
  ["app.js.map", "application/json; charset=utf-8", true],
  ["data.json", "application/json; charset=utf-8", true],
  ["site.webmanifest", "application/manifest+json; charset=utf-8", true],
  ["feed.xml", "text/xml; charset=utf-8", true],
  ["logo.svg", "image/svg+xml; charset=utf-8", true],
  ["notes.txt", "text/plain; charset=utf-8", true],
  ["notes.md", "text/markdown; charset=utf-8", true],
  ["main.ts", "text/plain; charset=utf-8", true],
  ["MAIN.TS", "text/plain; charset=utf-8", true],
  ["main.tsx", "text/plain; charset=utf-8", true],
  ["lib.wasm", "application/wasm", true],
  ["icon.ico", "image/x-icon", true],
  ["font.ttf", "font/ttf", true],
  ["font.woff2", "font/woff2", false],
  ["photo.png", "image/png", false],
  ["photo.JPG", "image/jpeg", false],
  ["film.mp4", "video/mp4", false],
  ["sound.mp3", "audio/mpeg", false],
  ["paper.pdf", "application/pdf", false],
  ["things.zip", "application/zip", false],
  ["LICENSE", "application/octet-stream", false],
  ["v1.2/LICENSE", "application/octet-stream", false],
  ["html", "application/octet-stream", false],
  ["what.is-this", "application/octet-stream", false],
  ["ends.", "application/octet-stream", false],
  ["a.constructor", "application/octet-stream", false],
  ["a.__proto__", "application/octet-stream", false],
  ["", "application/octet-stream", false],
];

for (const [path, type, compressible] of rows) {
  test(`${path || "no name"} is ${type}`, () => {
    assert.equal(mimeOf(path), type);
    assert.equal(isCompressible(type), compressible);
  });
}
