import assert from "node:assert/strict";
import { test } from "node:test";
import { injectBar } from "./inject-bar.ts";

const TAG = '<script src="/__easel_dev/bar.js" nonce="N"></script>';

const COMMENTS = "<!----> ".repeat(100_000);

const rows: [name: string, before: string, after: string][] = [
  ["after the doctype", "<!doctype html>\n<html>", `<!doctype html>${TAG}\n<html>`],
  [
    "after comments and a doctype",
    "<!-- <head> -->\n<!DOCTYPE html><p>",
    `<!-- <head> -->\n<!DOCTYPE html>${TAG}<p>`,
  ],
  ["at the start without a doctype", "<p>Hello", `${TAG}<p>Hello`],
  ["after a byte order mark", "\ufeff<!doctype html><p>ü", `\ufeff<!doctype html>${TAG}<p>ü`],
  ["into an empty page", "", TAG],
  ["at the start with a comment without an end", "<!-- <!doctype html>", `${TAG}<!-- <!doctype html>`],
  ["at the start with comments but without a doctype", COMMENTS, TAG + COMMENTS],
  ["after many comments and a doctype", `${COMMENTS}<!doctype html>`, `${COMMENTS}<!doctype html>${TAG}`],
  ["before a doctype that comes too late", "<p><!doctype html>", `${TAG}<p><!doctype html>`],
];

for (const [name, before, after] of rows)
  test(`the script of the bar is inserted ${name}`, () => {
    assert.equal(injectBar(Buffer.from(before), "N").toString("utf8"), after);
  });

test("the script of the bar leaves bytes of other encodings as they are", () => {
  const page = Buffer.from([0x3c, 0x70, 0x3e, 0xff, 0xe9]);
  assert.deepEqual(injectBar(page, "N").subarray(-5), page);
});
