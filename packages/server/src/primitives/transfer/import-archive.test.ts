import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "@easel/protocol/types";
import { longestTurn } from "../../../test/support/longest-turn.ts";
import { Refusal } from "../../http/refusal.ts";
import { ImportBudget, jsonLines } from "./import-archive.ts";

/** Reads a text that arrives in chunks of `size` bytes. */
async function read(text: string, size: number, budget = new ImportBudget()) {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return (await Array.fromAsync(jsonLines(chunks(), "a.jsonl", budget))).flat();
}

const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

const ROWS: [name: string, text: string, lines: [number: number, value: Json | undefined][]][] = [
  ["nothing", "", []],
  ["one line without an end", '{"a":1}', [[1, { a: 1 }]]],
  [
    "lines with both ends of line",
    '{"é":1}\r\n[2]\n"3"\n',
    [
      [1, { é: 1 }],
      [2, [2]],
      [3, "3"],
    ],
  ],
  ["blank lines", "\n \n\r\n1\n\n", [[4, 1]]],
  [
    "lines that are no JSON",
    "{\n1e999\n\u2028\n0",
    [
      [1, undefined],
      [2, undefined],
      [3, undefined],
      [4, 0],
    ],
  ],
];

for (const [name, text, lines] of ROWS) {
  test(name, async () => {
    for (const size of [1, 2, 7, 1000])
      assert.deepEqual(
        await read(text, size),
        lines.map(([number, value]) => ({ number, value })),
      );
  });
}

test("bytes that are no UTF-8 are no JSON", async () => {
  async function* chunks() {
    yield Buffer.from([0x22, 0xff, 0x22, 0x0a]);
  }
  assert.deepEqual(await Array.fromAsync(jsonLines(chunks(), "a.jsonl", new ImportBudget())), [
    [{ number: 1, value: undefined }],
  ]);
});

test("a value may be nested as deeply as in a request", async () => {
  const [fits, tooDeep] = await read(`{"value":${nested(1_000)}}\n{"value":${nested(1_001)}}`, 4096);
  assert.notEqual(fits?.value, undefined);
  assert.equal(tooDeep?.value, undefined);
});

test("a long line, and a line more than the import may have: 400", async () => {
  const isRefusal = (error: unknown) => error instanceof Refusal && error.status === 400;
  await assert.rejects(read(`"${"x".repeat(450_000)}"`, 65_536), isRefusal);
  assert.equal((await read("1\n2\n3", 2, new ImportBudget(3))).length, 3);
  await assert.rejects(read("1\n\n\n4", 2, new ImportBudget(3)), isRefusal);
  const shared = new ImportBudget(3);
  await read("1\n2", 2, shared);
  await assert.rejects(read("1\n2", 2, shared), isRefusal);
});

/** The content of a file, which can block the event loop for long unless it is read in parts. */
const LONG: [name: string, text: string][] = [
  ["300,000 blank lines", "\n".repeat(300_000)],
  ["150,000 short lines", "1\n".repeat(150_000)],
  ["50,000 lines that are no JSON", "{x\n".repeat(50_000)],
  [
    "lines with as many fields as fit",
    `{${Array.from({ length: 40_000 }, (_, at) => `"${at.toString(36)}k":0`)}}\n`.repeat(4),
  ],
  ["lines with as many values as fit", `[${"{},".repeat(130_000)}0]\n`.repeat(4)],
  ["lines with as many levels as fit", `${"[".repeat(390_000)}\n`.repeat(4)],
];

for (const [name, text] of LONG) {
  test(`${name}, in one chunk: no turn of the event loop over 50 ms of CPU`, async () => {
    const bytes = Buffer.from(text);
    async function* chunk() {
      yield bytes;
    }
    const turn = await longestTurn(async () => {
      for await (const _ of jsonLines(chunk(), "a.jsonl", new ImportBudget()));
    });
    assert.ok(turn < 50, `${turn} ms`);
  });
}

test("too many bytes: 400 at the chunk that exceeds the budget, and at each later line", async () => {
  const budget = new ImportBudget(10, 5);
  budget.takeBytes(5);
  await read("1\n2", 2, budget);
  const isRefusal = (error: unknown) => error instanceof Refusal && error.status === 400;
  assert.throws(() => budget.takeBytes(1), isRefusal);
  await assert.rejects(read("1", 2, budget), isRefusal);
});
