import assert from "node:assert/strict";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { after, test } from "node:test";
import { crc32, deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { fromBufferPromise } from "yauzl";
import { withBundle } from "../publishing/bundle.ts";
import { DEFLATED, STORED } from "./directory.ts";
import { readZip } from "./read-zip.ts";
import { ZipSource } from "./zip-source.ts";
import { type ArchivedFile, writeZip, zipSize } from "./zip-writer.ts";

const directory = await mkdtemp(path.join(os.tmpdir(), "easel-zip-"));
after(() => rm(directory, { recursive: true }));

async function* chunksOf(bytes: Uint8Array) {
  const half = Math.ceil(bytes.length / 2);
  if (half > 0) yield* [bytes.subarray(0, half), bytes.subarray(half)];
}

/**
 * Returns a file for `writeZip`. `kind` says how its data is given: `stored` is uncompressed data, `deflated` is compressed data, and
 * `later` is uncompressed data that `writeZip` compresses.
 */
function fileOf(name: string, content: Uint8Array, kind: "stored" | "deflated" | "later"): ArchivedFile {
  const data = kind === "deflated" ? deflateRawSync(content) : content;
  return {
    path: name,
    size: content.length,
    open: async () => chunksOf(content),
    packed:
      kind === "later"
        ? null
        : {
            method: kind === "stored" ? STORED : DEFLATED,
            size: data.length,
            open: async () => ({ crc: crc32(content), chunks: chunksOf(data) }),
          },
  };
}

test("two readers find the same files in a zip; it has the size that zipSize returns, and the same bytes when written again", async () => {
  const kind = fc.constantFrom("stored", "deflated", "later");
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.nat({ max: 100_000 }).map((size) => new Uint8Array(size)),
  );
  const names = fc.constantFrom("index.html", "a.txt", "grün/日本.txt", "b/c d.bin", "b/e");
  const files = fc.uniqueArray(fc.tuple(names, content, kind), { minLength: 1, selector: ([name]) => name });
  await fc.assert(
    fc.asyncProperty(files, async (list) => {
      const archived = list.map(([name, bytes, how]) => fileOf(name, bytes, how));
      archived.push(fileOf("top.txt", new Uint8Array(1), "stored"));
      const bytes = await buffer(writeZip(archived));
      const size = zipSize(archived);
      assert.equal(size, list.some(([, , how]) => how === "later") ? null : bytes.length);
      assert.deepEqual(await buffer(writeZip(archived)), bytes);

      const archive = path.join(directory, "bundle.zip");
      await writeFile(archive, bytes);
      const read = await withBundle(archive, async (bundle) => {
        const contents = [];
        for (const file of bundle.files) contents.push([file.path, await buffer(await file.open())] as const);
        return new Map(contents);
      });
      const other = await fromBufferPromise(bytes, { strictFileNames: true });
      for await (const entry of other.eachEntry()) {
        const expected = list.find(([name]) => name === entry.fileName)?.[1] ?? new Uint8Array(1);
        assert.deepEqual(await buffer(await other.openReadStreamPromise(entry)), Buffer.from(expected));
        assert.deepEqual(read.get(entry.fileName), Buffer.from(expected));
      }
      assert.equal(other.entryCount, archived.length);
    }),
    { numRuns: 50 },
  );
});

test("a file whose size is not the declared one is an error", async () => {
  const right = fileOf("a.txt", Buffer.from("content"), "stored");
  const wrong = { ...right, packed: right.packed && { ...right.packed, size: 8 } };
  await assert.rejects(buffer(writeZip([wrong])), /7 bytes instead of 8/);
  await assert.rejects(buffer(writeZip([{ ...right, packed: null, size: 6 }])), /7 bytes instead of 6/);
});

test("a zip of more files than the normal end record can count is readable", async () => {
  const content = new Uint8Array();
  async function* files() {
    for (let at = 0; at < 65_536; at++)
      yield { ...fileOf(`${at}`, content, "stored"), size: at % 2 ? null : content.length };
  }
  const bytes = Buffer.concat(await Array.fromAsync(writeZip(files())));
  const archive = await fromBufferPromise(bytes, { strictFileNames: true });
  assert.equal(archive.entryCount, 65_536);
  const target = path.join(directory, "many.zip");
  await writeFile(target, bytes);
  const file = await open(target);
  const entries = await readZip(new ZipSource(file, (await file.stat()).size), {
    entries: 65_536,
    nameBytes: 256,
  });
  await file.close();
  assert.deepEqual([entries.length, entries.at(-1)?.path], [65_536, "65535"]);
});
