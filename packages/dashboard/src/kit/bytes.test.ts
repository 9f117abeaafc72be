import assert from "node:assert/strict";
import { it } from "node:test";
import { bytesOf } from "./bytes.ts";

it("bytes are told in the unit that needs the fewest digits", () => {
  const cases: [number, string][] = [
    [0, "0 bytes"],
    [1, "1 byte"],
    [1023, "1,023 bytes"],
    [1024, "1 KB"],
    [1536, "1.5 KB"],
    [1024 ** 2 - 1, "1 MB"],
    [26_214_400, "25 MB"],
    [5 * 1024 ** 3, "5 GB"],
    [3 * 1024 ** 5, "3,070 TB"],
  ];
  for (const [count, text] of cases) assert.equal(bytesOf(count), text);
});
