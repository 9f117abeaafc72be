import assert from "node:assert/strict";
import { it } from "node:test";
import { bytesOf } from "./bytes.ts";
import { parseBytes } from "./parse-bytes.ts";

it("numbers of bytes are read as people write them, and nothing else", () => {
  const cases: [string, number | null][] = [
    ["0", 0],
    ["1048576", 1_048_576],
    ["1,048,576 bytes", 1_048_576],
    ["5 GB", 5 * 1024 ** 3],
    ["1.5g", 1.5 * 1024 ** 3],
    [" 500 MiB ", 500 * 1024 ** 2],
    ["2tb", 2 * 1024 ** 4],
    ["", null],
    ["-1", null],
    ["1e3", null],
    ["five GB", null],
    ["9999999 TB", null],
  ];
  for (const [text, bytes] of cases) assert.equal(parseBytes(text), bytes, text);
  for (const bytes of [0, 1, 5 * 1024 ** 3, 100 * 1024 ** 2]) assert.equal(parseBytes(bytesOf(bytes)), bytes);
});
