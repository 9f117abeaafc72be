import assert from "node:assert/strict";
import { test } from "node:test";
import { allowBar, injectBar } from "./send-response.ts";

const ORIGIN = "http://localhost:4321";
const BAR = `${ORIGIN}/__easel_dev/bar.js`;
const LIVE = `${ORIGIN}/__easel_dev/ ws://localhost:4321/__easel_dev/live`;

const rows: [name: string, before: string, after: string][] = [
  ["a policy without scripts and connections stays", "img-src 'self'", "img-src 'self'"],
  ["'none' makes room for the bar alone", "script-src 'none'", `script-src 'none'; script-src-elem ${BAR}`],
  [
    "'unsafe-inline' stays in force",
    "script-src 'unsafe-inline'",
    `script-src 'unsafe-inline'; script-src-elem 'unsafe-inline' ${BAR}`,
  ],
  [
    "'strict-dynamic' needs a nonce",
    "script-src 'strict-dynamic' 'nonce-a'",
    "script-src 'strict-dynamic' 'nonce-a'; script-src-elem 'strict-dynamic' 'nonce-a' 'nonce-N'",
  ],
  [
    "script-src-elem is extended itself",
    "script-src-elem 'self'; script-src x:",
    `script-src-elem 'self' ${BAR}; script-src x:`,
  ],
  [
    "default-src is not extended",
    "default-src 'self'",
    `default-src 'self'; script-src-elem 'self' ${BAR}; connect-src 'self' ${LIVE}`,
  ],
  ["connections", "connect-src 'none'", `connect-src ${LIVE}`],
  [
    "only the first of two equal directives counts",
    "connect-src 'self'; connect-src *",
    `connect-src 'self' ${LIVE}`,
  ],
  [
    "every policy of the header",
    "script-src a:, script-src b:",
    `script-src a:; script-src-elem a: ${BAR}, script-src b:; script-src-elem b: ${BAR}`,
  ],
];

for (const [name, before, after] of rows)
  test(`the bar in a content security policy: ${name}`, () => {
    assert.equal(allowBar(before, ORIGIN, "N"), after);
  });

const TAG = '<script src="/__easel_dev/bar.js" nonce="N"></script>';

const COMMENTS = "<!----> ".repeat(100_000);

const pages: [name: string, before: string, after: string][] = [
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

for (const [name, before, after] of pages)
  test(`the script of the bar is inserted ${name}`, () => {
    assert.equal(injectBar(Buffer.from(before), "N").toString("utf8"), after);
  });

test("the script of the bar leaves bytes of other encodings as they are", () => {
  const page = Buffer.from([0x3c, 0x70, 0x3e, 0xff, 0xe9]);
  assert.deepEqual(injectBar(page, "N").subarray(-5), page);
});
