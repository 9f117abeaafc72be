import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import { newWork } from "../../test/support/work.ts";
import { type FileText, type Place, readText } from "./file-text.ts";

const START: Place = { offset: 0, line: 1 };
const ALL = { first: 1, last: Number.POSITIVE_INFINITY };

/** Reads a text that arrives in chunks of `size` bytes. */
const read = (
  bytes: Buffer,
  { start = START, range = ALL, room = 100, size = 7, work = newWork() } = {},
): Promise<FileText | null> => {
  const rest = bytes.subarray(start.offset);
  const chunks = Array.from({ length: Math.ceil(rest.length / size) }, (_, index) =>
    rest.subarray(index * size, (index + 1) * size),
  );
  return readText(Readable.from(chunks), start, range, room, work);
};

const TEXT = "one\ntwo é\n\nfour 😀\nfive";

describe("the text of a file", () => {
  for (const size of [1, 2, 3, 7, 1_000]) {
    it(`is exact, also of a range, with chunks of ${size} bytes`, async () => {
      const bytes = Buffer.from(TEXT);
      assert.deepEqual(await read(bytes, { size }), { text: TEXT, from: 1, to: 5, next: null });
      const of = async (first: number, last: number) =>
        (await read(bytes, { size, range: { first, last } }))?.text;
      assert.equal(await of(2, 2), "two é\n");
      assert.equal(await of(2, 4), "two é\n\nfour 😀\n");
      assert.equal(await of(5, 9), "five");
      assert.equal(await of(6, 9), "");
      assert.deepEqual(await read(bytes, { size, range: { first: 3, last: 4 } }), {
        text: "\nfour 😀\n",
        from: 3,
        to: 4,
        next: null,
      });
    });

    it(`goes on where an answer was full, with chunks of ${size} bytes`, async () => {
      const text = `${TEXT}\r\n`.repeat(20) + "x".repeat(250) + "é\u{1F600}".repeat(40);
      const bytes = Buffer.from(`\uFEFF${text}`);
      let whole = "";
      let place: Place | null = START;
      while (place !== null) {
        const part: FileText | null = await read(bytes, { start: place, size, room: 64 });
        if (part === null) return assert.fail("it is text");
        assert.equal(part.from, whole.split("\n").length);
        assert.ok(part.text !== "" && Buffer.byteLength(part.text) <= 64);
        whole += part.text;
        place = part.next;
      }
      assert.equal(whole, `\uFEFF${text}`);
    });
  }

  it("is none if it is not UTF-8 or has NUL", async () => {
    for (const bytes of [
      [0x89, 0x50, 0x4e],
      [0x61, 0, 0x61],
      [0x61, 0xc3],
      [0xed, 0xa0, 0x80],
    ])
      assert.equal(await read(Buffer.from(bytes)), null, String(bytes));
  });

  it("is read no further than needed", async () => {
    let chunks = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) {
          chunks++;
          yield Buffer.from("line\n".repeat(100));
        }
      })(),
    );
    await readText(endless, START, ALL, 1_000, newWork());
    assert.ok(chunks < 30, String(chunks));
    assert.ok(endless.destroyed);
  });

  it("is read in parts when much of it is skipped, and goes on where the work of a call ended", async () => {
    const line = `${"x".repeat(1_023)}\n`;
    const bytes = Buffer.from(`${line.repeat(20_000)}found\n`);
    const parts: FileText[] = [];
    for (let start: Place | null = START; start !== null; ) {
      const part: FileText | null = await read(bytes, {
        start,
        range: { first: 20_001, last: 20_001 },
        size: 65_536,
      });
      parts.push(part ?? assert.fail("it is text"));
      start = part?.next ?? null;
    }
    assert.deepEqual(
      parts.map(({ text, from }) => [text, from]),
      [
        ["", 8_193],
        ["", 16_385],
        ["found\n", 20_001],
      ],
    );
  });

  it("fails if the stream fails", async () => {
    const failing = new Readable({ read: () => void failing.destroy(new Error("gone")) });
    await assert.rejects(readText(failing, START, ALL, 10, newWork()), /gone/);
  });
});
