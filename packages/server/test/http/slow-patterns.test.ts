import assert from "node:assert/strict";
import { test } from "node:test";
import { slowPatterns } from "../../../../tools/slow-patterns.ts";

/** A line of code, and whether its regular expression can take more than linear time. */
const ROWS: [code: string, isSlow: boolean][] = [
  ["const p = /^[a-z]+$/;", false],
  ["const p = /^(\\w+):[ \\t]*([^\\r\\n]*)$/;", true],
  ["const p: RegExp = /-+$/g;", true],
  ["const p = /^(?:a+)+$/;", true],
  ["const p = /^(?:\\s|<!--[\\s\\S]*?-->)*<!doctype/i;", true],
  ["const p = /^(?:<.*?>)*a/;", true],
  ["const p = /^(?:<[^]*?>)*a/;", true],
  ["const p = /^(?:.+\\n)+/;", false],
  ["const p = /^(?:.+\\n)+/s;", true],
  ["const p = /^(?:[\\w-]+\\.)+$/;", false],
  ["const p = 'a+a+$' as const;", false],
];

for (const [code, isSlow] of ROWS) {
  test(`${code}: ${isSlow ? "slow" : "fast"}`, () => {
    const found = slowPatterns("a.ts", `import a from "a";\n${code}\n`);
    assert.deepEqual(
      found.map(({ line }) => line),
      isSlow ? [2] : [],
    );
  });
}

test("a file that cannot be parsed is an error", () => {
  assert.throws(() => slowPatterns("a.ts", "const ="), /a\.ts/);
});
