import assert from "node:assert/strict";
import { test } from "node:test";
import { allowBar } from "./page-policy.ts";

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
