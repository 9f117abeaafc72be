import assert from "node:assert/strict";
import { it } from "node:test";
import type { Json } from "@easel/protocol/types";
import { resultsOf, tableOf } from "./results.ts";

it("answers of each flat field are counted, the most frequent first", () => {
  const values: Json[] = [
    { lunch: "soup", hungry: true, at: 12 },
    { lunch: "salad", hungry: false, at: 13 },
    { lunch: "soup", hungry: true, at: 12, note: { long: "not flat" } },
    { hungry: null },
  ];
  assert.deepEqual(resultsOf(values), [
    {
      field: "lunch",
      answered: 3,
      isMultiple: false,
      counts: [
        { answer: "soup", count: 2 },
        { answer: "salad", count: 1 },
      ],
      others: 0,
      different: 2,
      numbers: null,
    },
    {
      field: "hungry",
      answered: 4,
      isMultiple: false,
      counts: [
        { answer: "Yes", count: 2 },
        { answer: "No", count: 1 },
        { answer: "No answer", count: 1 },
      ],
      others: 0,
      different: 3,
      numbers: null,
    },
    {
      field: "at",
      answered: 3,
      isMultiple: false,
      counts: [
        { answer: "12", count: 2 },
        { answer: "13", count: 1 },
      ],
      others: 0,
      different: 2,
      numbers: { least: 12, most: 13, mean: 37 / 3 },
    },
  ]);
});

it("values that are answers themselves are counted; a list has several answers, each once", () => {
  const [result, ...rest] = resultsOf(["soup", ["soup", "cake", "cake"], 3, [], [{ no: "answer" }]]);
  assert.deepEqual(rest, []);
  assert.deepEqual([result?.field, result?.answered, result?.isMultiple], [null, 4, true]);
  assert.deepEqual(result?.counts, [
    { answer: "soup", count: 2 },
    { answer: "3", count: 1 },
    { answer: "cake", count: 1 },
  ]);
});

it("free text is not drawn as bars, and many answers are cut", () => {
  const texts = resultsOf(Array.from({ length: 30 }, (_, index) => ({ why: `because ${index}` })));
  assert.deepEqual([texts[0]?.counts, texts[0]?.others, texts[0]?.different], [[], 30, 30]);
  const many = resultsOf(Array.from({ length: 100 }, (_, index) => ({ pick: index % 20 })));
  assert.equal(many[0]?.counts.length, 12);
  assert.equal(many[0]?.others, 40);
  assert.deepEqual(many[0]?.numbers, { least: 0, most: 19, mean: 9.5 });
});

it("hostile names and values are counted like others", () => {
  const values = ['{"__proto__": "a", "constructor": 1, "": ""}', '{"__proto__": "a"}'].map(
    (text) => JSON.parse(text) as Json,
  );
  assert.deepEqual(
    resultsOf(values).map(({ field, answered, counts }) => [field, answered, counts[0]?.answer]),
    [
      ["__proto__", 2, "a"],
      ["constructor", 1, "1"],
      ["", 1, "No answer"],
    ],
  );
  assert.equal(resultsOf(["x".repeat(5_000)])[0]?.counts[0]?.answer.length, 201);
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, index]));
  assert.equal(resultsOf([wide, wide]).length, 50);
  assert.deepEqual(resultsOf([]), []);
  assert.deepEqual(resultsOf([{ deep: { er: 1 } }, [[1]]]), []);
});

it("a table has a column for each field, and JSON for what is no answer", () => {
  const at = Date.UTC(2026, 0, 31, 12);
  const by = (userId: string, value: Json, name: string | null = null) => ({
    userId,
    name,
    value,
    updatedAt: at,
  });
  const time = "2026-01-31T12:00:00.000Z";
  assert.deepEqual(tableOf([by("u-1", { a: 1, b: ["x"] }, "Ada"), by("u-2", { c: null, toString: "own" })]), [
    ["Person", "Id", "Changed", "a", "b", "c", "toString"],
    ["Ada", "u-1", time, 1, '["x"]', null, null],
    ["", "u-2", time, null, null, null, "own"],
  ]);
  assert.deepEqual(tableOf([by("u-1", "yes"), by("u-2", { a: true })]), [
    ["Person", "Id", "Changed", "Value", "a"],
    ["", "u-1", time, "yes", null],
    ["", "u-2", time, null, true],
  ]);
});
