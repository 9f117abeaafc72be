import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { crc32 as reference } from "node:zlib";
import { pathFault } from "@easel/protocol/bundle";
import fc from "fast-check";
import { fromBufferPromise } from "yauzl";
import { withBundle } from "../../server/src/canvases/publishing/bundle.ts";
import { crc32 } from "../src/canvases/crc32.ts";
import { zip } from "../src/canvases/zip.ts";
import { EaselError } from "../src/errors.ts";

type File = [path: string, content: Blob];

const bytesOf = async (blob: Blob) => Buffer.from(await blob.arrayBuffer());

/** Unpacks a zip with a library that checks names, sizes and checksums. */
async function unzip(archive: Blob) {
  const files: { path: string; method: number; mode: number; bytes: Buffer }[] = [];
  const reader = await fromBufferPromise(await bytesOf(archive), { strictFileNames: true });
  for await (const entry of reader.eachEntry()) {
    const bytes = await buffer(await reader.openReadStreamPromise(entry));
    assert.equal(entry.crc32, reference(bytes));
    const mode = entry.externalFileAttributes >>> 16;
    files.push({ path: entry.fileName, method: entry.compressionMethod, mode, bytes });
  }
  return files;
}

const path = fc
  .array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join("/"))
  .filter((each) => pathFault(each) === undefined);
const content = fc.oneof(
  fc.uint8Array({ maxLength: 2000 }),
  fc.string({ unit: "grapheme", maxLength: 500 }).map((text) => new TextEncoder().encode(text)),
  fc.integer({ min: 0, max: 100_000 }).map((size) => new Uint8Array(size)),
);

test("any names and contents are read back", () =>
  fc.assert(
    fc.asyncProperty(fc.dictionary(path, content, { maxKeys: 8 }), async (given) => {
      const files = Object.entries(given).map(([name, bytes]): File => [name, new Blob([bytes])]);
      assert.deepEqual(
        (await unzip(await zip(files))).map(({ path, bytes, mode }) => [path, bytes, mode]),
        Object.entries(given).map(([name, bytes]) => [name, Buffer.from(bytes), 0o100644]),
      );
    }),
    { numRuns: 50 },
  ));

test("a checksum continues that of the bytes before", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (first, second) => {
      assert.equal(crc32(second, crc32(first)), reference(Buffer.concat([first, second])));
    }),
  );
});

test("content is deflated where that makes it smaller, and equal files make equal zips", async () => {
  const noise = Uint8Array.from({ length: 500 }, (_, index) => (index * index * 7919) >>> 3);
  const files: File[] = [
    ["text.txt", new Blob(["tea ".repeat(500)])],
    ["noise.bin", new Blob([noise])],
    ["empty.txt", new Blob([])],
  ];
  const archive = await zip(files);
  assert.equal(archive.type, "application/zip");
  assert.deepEqual(
    (await unzip(archive)).map(({ method }) => method),
    [8, 0, 0],
  );
  assert.ok(archive.size < 1000);
  assert.deepEqual(await bytesOf(archive), await bytesOf(await zip(files)));
});

test("the service accepts files that can be deflated to less than a hundredth", async () => {
  const size = 2 * 1024 * 1024;
  const archive = await zip([["index.html", new Blob([" ".repeat(size)])]]);
  const folder = await mkdtemp(join(tmpdir(), "easel-zip-"));
  try {
    const file = join(folder, "bundle.zip");
    await writeFile(file, await bytesOf(archive));
    await withBundle(file, async ({ files: [index] }) => {
      let read = 0;
      for await (const chunk of (await index?.open()) ?? []) read += chunk.length;
      assert.deepEqual([index?.path, read], ["index.html", size]);
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("without CompressionStream, or without its raw format, files are stored", async (t) => {
  const files: File[] = [["index.html", new Blob(["tea ".repeat(500)])]];
  class OlderStream {
    constructor(format: string) {
      throw new TypeError(`unknown format ${format}`);
    }
  }
  for (const given of [undefined, OlderStream]) {
    t.mock.property(globalThis, "CompressionStream", given as unknown as typeof CompressionStream);
    const [index] = await unzip(await zip(files));
    assert.deepEqual([index?.method, String(index?.bytes)], [0, "tea ".repeat(500)]);
    t.mock.restoreAll();
  }
});

/** A blob that is read from a stream of the test, which may be slow or fail. */
class OddBlob extends Blob {
  readonly #stream: () => ReadableStream<Uint8Array<ArrayBuffer>>;

  constructor(stream: () => ReadableStream<Uint8Array<ArrayBuffer>>) {
    super(["three"]);
    this.#stream = stream;
  }

  override stream() {
    return this.#stream();
  }
}

test("`signal` aborts with its reason: before a file, and while one is read", async () => {
  const reason = new Error("changed my mind");
  await assert.rejects(
    zip([["a", new OddBlob(() => assert.fail("read"))]], AbortSignal.abort(reason)),
    (error) => error === reason,
  );
  const stop = new AbortController();
  const pull = () => {
    stop.abort(reason);
    return new Promise<void>(() => {});
  };
  const endless = new OddBlob(() => new ReadableStream({ pull }));
  await assert.rejects(zip([["a", endless]], stop.signal), (error) => error === reason);
});

test("a file that cannot be read any more is named", async () => {
  const gone = new DOMException("The file has changed.", "NotReadableError");
  const blob = new OddBlob(() => new ReadableStream({ start: (output) => output.error(gone) }));
  await assert.rejects(zip([["img/cup.png", blob]]), (error) => {
    assert.ok(error instanceof EaselError);
    assert.deepEqual([error.code, error.message], ["INVALID_BODY", "`img/cup.png` cannot be read."]);
    return true;
  });
});
