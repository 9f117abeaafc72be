import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "@easel/protocol/types";
import fc from "fast-check";
import { cellOf, csvOf, type Line, readCsv, valueOfCell } from "./csv.ts";

const read = (text: string): Promise<Line[]> =>
  Array.fromAsync(
    readCsv(
      (async function* () {
        yield Buffer.from(text);
      })(),
    ),
  );

const CELLS: [value: Json, cell: string][] = [
  ["text", "text"],
  ["", '""'],
  ["5", '"5"'],
  ["null", '"null"'],
  [5, "5"],
  [-5, "-5"],
  [null, "null"],
  [[1, { a: "=x" }], '[1,{"a":"=x"}]'],
  ["=1+1", "'=1+1"],
  ["+1 a", "'+1 a"],
  ["-a", "'-a"],
  ["@a", "'@a"],
  ["\ta", "'\ta"],
  ["\ra", "'\ra"],
  ["'=a", "''=a"],
  ["'a", "'a"],
  ["x;=cmd|' /C calc'!A0;y", "x;'=cmd|' /C calc'!A0;y"],
  [{ a: ["x;=1"] }, '{"a":["x;\'=1"]}'],
  ["-5", '"-5"'],
  [[52.5, -13.4], "[52.5,-13.4]"],
];

test("cells: what a spreadsheet would evaluate is guarded, and every value comes back", () => {
  for (const [value, cell] of CELLS) {
    assert.equal(cellOf(value), cell);
    assert.deepEqual(valueOfCell(cell), value);
  }
});

test("entries come back from CSV", async () => {
  const field = fc.string({ minLength: 1 }).filter((name) => name !== "__proto__");
  const value = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(field, fc.jsonValue(), { minKeys: 1, noNullPrototype: true }),
  );
  const line = fc.record({ id: fc.constantFrom("=id", "b", "c"), value });
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 4 }), async (lines) => {
      const expected = JSON.parse(JSON.stringify(lines));
      assert.deepEqual(await read(csvOf(lines as Line[])), expected);
    }),
    { numRuns: 200 },
  );
});

test("a table that is no export has a column per field", async () => {
  assert.deepEqual(await read("title,votes,code\nTea,3,007\n,,\n"), [
    { value: { title: "Tea", votes: 3, code: "007" } },
    { value: {} },
  ]);
});

test("faulty CSV is a failure", async () => {
  await assert.rejects(read("a,b\n1\n"), /The CSV is faulty/);
  await assert.rejects(read('a\n"1'), /The CSV is faulty/);
});
