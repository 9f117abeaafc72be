import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import type { Readable } from "node:stream";
import { describe, test } from "node:test";
import { type BlobSize, type Blobs, type Expected, OtherContent } from "../../src/drivers/blobs/blobs.ts";
import type { Scope } from "../support/service.ts";

const HOUR_MS = 60 * 60 * 1000;
/** Returns a time that is later than every put so far. */
const LATER = () => Date.now() + HOUR_MS;
const MIB = 1024 * 1024;

/** Yields bytes in this number of pieces. */
export async function* inPieces(bytes: Uint8Array, pieces = 1): AsyncIterable<Uint8Array> {
  const size = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Reads a stream to its end. Returns its bytes; null for no stream. */
export async function bytesOf(stream: Readable | null): Promise<Buffer | null> {
  return stream === null ? null : Buffer.concat(await stream.toArray());
}

/** Lists the keys of the blobs that were last put before a time, by default of all blobs. */
export async function keysOf(blobs: Blobs, before = LATER()): Promise<string[]> {
  return (await Array.fromAsync(blobs.list(before))).sort();
}

/** Says that no blob is in use. */
export const notInUse = async (): Promise<ReadonlySet<string>> => new Set();

/** An empty store, and `age`, which makes a blob look as if it had been put `ms` milliseconds ago. */
export interface OpenedBlobs {
  blobs: Blobs;
  age(key: string, ms: number): Promise<void>;
}

const keyOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Keys that no put returns. */
const HOSTILE = [
  "",
  ".",
  "..",
  "../x",
  "../../etc/passwd",
  "/etc/passwd",
  "staging",
  "a".repeat(63),
  "a".repeat(65),
  "A".repeat(64),
  "g".repeat(64),
  `${"a".repeat(64)}\n`,
  `${"a".repeat(64)}/../x`,
  `aa/${"a".repeat(64)}`,
  "a\u0000".repeat(32),
];

/**
 * Registers the tests that every blob driver must pass. `openAged` opens an empty store, which is closed and removed after the test. `largest`
 * is the size in MiB of the largest blob that is stored.
 */
export function blobsContract(
  name: string,
  skip: string | false,
  openAged: (scope: Scope) => Promise<OpenedBlobs>,
  largest = 32,
): void {
  const tea = Buffer.from("a cup of tea");
  const open = async (scope: Scope) => (await openAged(scope)).blobs;

  describe(`blob driver: ${name}`, { skip }, () => {
    for (const [what, bytes, pieces] of [
      ["nothing", Buffer.alloc(0), 1],
      ["one byte", Buffer.of(0), 1],
      ["every byte", Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), 7],
      ["many pieces", randomBytes(100_000), 1000],
    ] as const) {
      test(`get returns what was put: ${what}`, async (t) => {
        const blobs = await open(t);
        const { key, size } = await blobs.put(inPieces(bytes, pieces));
        assert.deepEqual([key, size], [keyOf(bytes), bytes.length]);
        assert.deepEqual(await bytesOf(await blobs.get(key)), Buffer.from(bytes));
        assert.deepEqual(await keysOf(blobs), [key]);
      });
    }

    test(`get returns a stream of ${largest} MiB, and a part of it`, async (t) => {
      const blobs = await open(t);
      const piece = randomBytes(MIB);
      const source = async function* () {
        for (let count = 0; count < largest; count++) yield piece;
      };
      const { key, size } = await blobs.put(source());
      assert.equal(size, largest * MIB);
      const hash = createHash("sha256");
      for await (const chunk of (await blobs.get(key)) as Readable) hash.update(chunk);
      assert.equal(hash.digest("hex"), key);
      const part = await bytesOf(await blobs.get(key, { start: MIB - 2, end: MIB + 1 }));
      assert.deepEqual(part, Buffer.concat([piece.subarray(-2), piece.subarray(0, 2)]));
    });

    const ranges: [start: number, end: number, text: string][] = [
      [0, 0, "a"],
      [2, 4, "cup"],
      [0, 11, "a cup of tea"],
      [11, 11, "a"],
    ];
    for (const [start, end, text] of ranges) {
      test(`get returns the bytes from ${start} to ${end}, both included`, async (t) => {
        const blobs = await open(t);
        const { key } = await blobs.put(inPieces(tea));
        assert.equal((await bytesOf(await blobs.get(key, { start, end })))?.toString(), text);
      });
    }

    test("the same bytes are stored once, in any number of pieces and by concurrent puts", async (t) => {
      const blobs = await open(t);
      const all = await Promise.all([1, 2, 3, 4, 5, 12].map((pieces) => blobs.put(inPieces(tea, pieces))));
      for (const each of all) assert.deepEqual(each, { key: keyOf(tea), size: tea.length });
      assert.deepEqual(await keysOf(blobs), [keyOf(tea)]);
      assert.deepEqual(await bytesOf(await blobs.get(keyOf(tea))), tea);
    });

    test("a put whose source fails stores nothing, and rejects with the error of the source", async (t) => {
      const blobs = await open(t);
      const failing = async function* () {
        yield tea;
        throw new Error("the source broke");
      };
      await assert.rejects(blobs.put(failing()), /the source broke/);
      assert.deepEqual(await keysOf(blobs), []);
      assert.equal(await blobs.get(keyOf(tea)), null);
    });

    test("a put whose source fails leaves an existing blob as it is", async (t) => {
      const blobs = await open(t);
      const { key } = await blobs.put(inPieces(tea));
      const failing = async function* () {
        yield* inPieces(tea);
        throw new Error("the source broke");
      };
      await assert.rejects(blobs.put(failing()), /the source broke/);
      assert.deepEqual(await bytesOf(await blobs.get(key)), tea);
    });

    const wrong: [what: string, expected: Expected, differs: OtherContent["differs"]][] = [
      ["another key", { key: keyOf(Buffer.from("coffee")) }, "hash"],
      ["another key of the same size", { key: keyOf(Buffer.from("coffee")), size: tea.length }, "hash"],
      ["a text that is no key", { key: "../x", size: tea.length }, "hash"],
      ["a smaller size", { size: tea.length - 1 }, "longer"],
      ["a larger size", { key: keyOf(tea), size: tea.length + 1 }, "shorter"],
      ["no bytes", { key: keyOf(tea), size: 0 }, "longer"],
    ];
    for (const [what, expected, differs] of wrong) {
      test(`a put that expects ${what} stores nothing, and throws OtherContent: ${differs}`, async (t) => {
        const blobs = await open(t);
        const isOther = (error: unknown) => error instanceof OtherContent && error.differs === differs;
        await assert.rejects(blobs.put(inPieces(tea, 3), expected), isOther);
        assert.deepEqual(await keysOf(blobs), []);
        assert.equal(await blobs.get(keyOf(tea)), null);
        await blobs.put(inPieces(tea), { key: keyOf(tea), size: tea.length });
        await assert.rejects(blobs.put(inPieces(tea, 3), expected), isOther);
        assert.deepEqual(await bytesOf(await blobs.get(keyOf(tea))), tea);
      });
    }

    test("a put of a stream that is too long stops reading it", async (t) => {
      const blobs = await open(t);
      let read = 0;
      const endless = async function* () {
        for (;;) {
          read += MIB;
          yield Buffer.alloc(MIB);
        }
      };
      await assert.rejects(blobs.put(endless(), { size: 3 * MIB }), OtherContent);
      assert.ok(read <= 5 * MIB, `${read} bytes were read`);
    });

    test("a put calls `claim` with the key and the size before get finds the blob; if it throws, nothing is stored", async (t) => {
      const blobs = await open(t);
      const seen: unknown[] = [];
      const options = {
        claim: async (blob: BlobSize) => {
          seen.push(blob, await blobs.get(blob.key));
          if (seen.length === 2) throw new Error("the claim failed");
        },
      };
      await assert.rejects(blobs.put(inPieces(tea), options), /the claim failed/);
      assert.deepEqual(await keysOf(blobs), []);
      const blob = await blobs.put(inPieces(tea), options);
      assert.deepEqual(seen, [blob, null, blob, null]);
      assert.deepEqual(await bytesOf(await blobs.get(blob.key)), tea);
      await assert.rejects(blobs.put(inPieces(tea), { ...options, size: 1 }), OtherContent);
      assert.equal(seen.length, 4, "bytes that are not the expected ones are not claimed");
    });

    const putAll = (blobs: Blobs, ...texts: string[]) =>
      Promise.all(texts.map(async (text) => (await blobs.put(inPieces(Buffer.from(text)))).key));

    test("remove removes blobs that are not in use and keeps the others; it may be repeated", async (t) => {
      const blobs = await open(t);
      const [one = "", two = "", three = "", four = ""] = await putAll(blobs, "one", "two", "three", "four");
      const asked: string[][] = [];
      const inUse = async (keys: string[]) => {
        asked.push(keys.toSorted());
        return new Set([three]);
      };
      assert.equal(await blobs.remove([], inUse), 0);
      assert.equal(await blobs.remove([one, two, three], inUse), 2);
      assert.equal(await blobs.remove([one, two, three], inUse), 0);
      assert.deepEqual(asked, [[one, two, three].sort(), [three]]);
      assert.deepEqual([await blobs.get(one), await blobs.get(two)], [null, null]);
      assert.deepEqual(await keysOf(blobs), [three, four].sort());
      assert.equal((await bytesOf(await blobs.get(three)))?.toString(), "three");
      await putAll(blobs, "one");
      assert.equal((await bytesOf(await blobs.get(one)))?.toString(), "one");
    });

    test("remove removes nothing if the look-up fails", async (t) => {
      const blobs = await open(t);
      const keys = await putAll(blobs, "one", "two");
      await assert.rejects(
        blobs.remove(keys, () => Promise.reject(new Error("the database is away"))),
        /the database is away/,
      );
      assert.deepEqual(await keysOf(blobs), keys.toSorted());
    });

    test("while remove looks blobs up, they are readable, and what is put then stays", async (t) => {
      const blobs = await open(t);
      const keys = await putAll(blobs, "kept", "removed", "put again");
      const [kept = "", removed = "", again = ""] = keys;
      const texts = () =>
        Promise.all(keys.map(async (key) => (await bytesOf(await blobs.get(key)))?.toString()));
      let during: unknown;
      await blobs.remove(keys, async () => {
        during = await texts();
        await putAll(blobs, "put again");
        return new Set([kept]);
      });
      assert.deepEqual(during, ["kept", "removed", "put again"]);
      assert.deepEqual(await texts(), ["kept", undefined, "put again"]);
      assert.deepEqual(await keysOf(blobs), [kept, again].sort());
      assert.equal(await blobs.get(removed), null);
    });

    test("a put that has claimed its key wins over concurrent removals, and the blob is readable all the time", async (t) => {
      const blobs = await open(t);
      for (let round = 0; round < 20; round++) {
        const bytes = Buffer.from(`tea ${round}`);
        const claims = new Set<string>();
        const inUse = async (keys: string[]) => new Set(keys.filter((key) => claims.has(key)));
        await blobs.put(inPieces(bytes));
        const putAndRead = async () => {
          const { key } = await blobs.put(inPieces(bytes), {
            claim: async ({ key }) => void claims.add(key),
          });
          return await bytesOf(await blobs.get(key));
        };
        const remove = () => blobs.remove([keyOf(bytes)], inUse);
        const [read] = await Promise.all([putAndRead(), remove(), remove(), putAndRead().then(remove)]);
        assert.deepEqual(read, bytes);
        assert.deepEqual(await bytesOf(await blobs.get(keyOf(bytes))), bytes);
        await blobs.remove([keyOf(bytes)], notInUse);
        assert.equal(await blobs.get(keyOf(bytes)), null);
      }
    });

    test("unknown and hostile keys: get returns null, remove removes nothing", async (t) => {
      const blobs = await open(t);
      const { key } = await blobs.put(inPieces(tea));
      for (const hostile of [keyOf(Buffer.from("unknown")), ...HOSTILE]) {
        assert.equal(await blobs.get(hostile), null, hostile);
        assert.equal(await blobs.get(hostile, { start: 0, end: 1 }), null, hostile);
        assert.equal(await blobs.remove([hostile], notInUse), 0, hostile);
      }
      assert.deepEqual(await bytesOf(await blobs.get(key)), tea);
    });

    test("list returns the blobs last put before a time; a second put makes a blob new", async (t) => {
      const { blobs, age } = await openAged(t);
      assert.deepEqual(await keysOf(blobs), []);
      const { key } = await blobs.put(inPieces(tea));
      const anHourAgo = Date.now() - HOUR_MS;
      assert.deepEqual([await keysOf(blobs, anHourAgo), await keysOf(blobs)], [[], [key]]);
      await age(key, 2 * HOUR_MS);
      assert.deepEqual(await keysOf(blobs, anHourAgo), [key]);
      await blobs.put(inPieces(tea));
      assert.deepEqual(await keysOf(blobs, anHourAgo), []);
    });

    test("blobs may be removed while they are listed", async (t) => {
      const blobs = await open(t);
      for (let each = 0; each < 40; each++) await blobs.put(inPieces(Buffer.of(each)));
      let seen = 0;
      for await (const key of blobs.list(LATER())) {
        await blobs.remove([key], notInUse);
        seen++;
      }
      assert.equal(seen, 40);
      assert.deepEqual(await keysOf(blobs), []);
    });

    test("a marker is created once: later calls return the first text, and it is not listed as a blob", async (t) => {
      const blobs = await open(t);
      assert.equal(await blobs.marker("instance"), null);
      assert.equal(await blobs.mark("instance", "one"), "one");
      assert.equal(await blobs.mark("instance", "two"), "one");
      assert.equal(await blobs.marker("instance"), "one");
      assert.equal(await blobs.marker("other"), null);
      assert.deepEqual(await keysOf(blobs), []);
      await blobs.tidy(LATER());
      assert.equal(await blobs.marker("instance"), "one");
    });

    test("concurrent calls that create a marker return the same text", async (t) => {
      const blobs = await open(t);
      const texts = await Promise.all(
        Array.from({ length: 20 }, (_, n) => blobs.mark("instance", `node ${n}`)),
      );
      assert.equal(new Set(texts).size, 1);
      assert.equal(await blobs.marker("instance"), texts[0]);
    });

    test("a hostile name of a marker is rejected", async (t) => {
      const blobs = await open(t);
      for (const name of HOSTILE.filter((each) => !/^[a-z]+$/.test(each))) {
        await assert.rejects(blobs.marker(name), name);
        await assert.rejects(blobs.mark(name, "x"), name);
      }
    });

    test("tidy removes no blob", async (t) => {
      const blobs = await open(t);
      const { key } = await blobs.put(inPieces(tea));
      await blobs.tidy(LATER());
      assert.deepEqual(await bytesOf(await blobs.get(key)), tea);
    });

    test("tryWrite leaves nothing", async (t) => {
      const blobs = await open(t);
      await Promise.all([blobs.tryWrite(), blobs.tryWrite()]);
      await blobs.tryWrite();
      assert.deepEqual(await keysOf(blobs), []);
    });
  });
}
