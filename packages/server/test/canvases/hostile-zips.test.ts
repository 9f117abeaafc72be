import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { after, describe, it } from "node:test";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { fromBufferPromise } from "yauzl";
import { withBundle } from "../../src/canvases/publishing/bundle.ts";
import { Refusal } from "../../src/http/refusal.ts";
import { temporaryDirectory } from "../support/service.ts";
import { descriptor, extraField, type Forged, forge, zip64Field } from "../support/zip.ts";

const INDEX: Forged = { name: "index.html" };
const TEXT = "text ".repeat(100);
const PACKED = deflateRawSync(TEXT);
const ONES = 0xffffffff;
const none = Buffer.alloc(0);
const junk = Buffer.from("junk");

/** An entry as written by a tool that streams its output: checksum and sizes follow the data. */
const streamed = (
  after: Buffer,
  local: Forged["local"] = { crc: 0, size: 0, compressedSize: 0 },
): Forged => ({
  ...{ name: "a.txt", content: TEXT, method: 8, flags: 0x808, local, after },
});
const later = descriptor(TEXT, PACKED.length);

/** The extra field of Info-ZIP with the name in UTF-8. `crc` is the checksum of the header's name that the field claims to replace. */
const unicodePath = (name: string, crc: Buffer) =>
  extraField(0x7075, Buffer.concat([Buffer.from([1]), crc, Buffer.from(name)]));

/** Valid but unusual archives, each with the content of one of its files. */
const SOUND: [name: string, bytes: Buffer, file?: string, content?: string][] = [
  ["a comment", forge([INDEX], { comment: Buffer.from("made by hand") })],
  ["a data descriptor", forge([streamed(later)]), "a.txt", TEXT],
  [
    "one without its signature",
    forge([streamed(descriptor(TEXT, PACKED.length, { signed: false }))]),
    "a.txt",
    TEXT,
  ],
  ["one with large sizes", forge([streamed(descriptor(TEXT, PACKED.length, { wide: true }))]), "a.txt", TEXT],
  [
    "one for a zip64 entry",
    forge([
      streamed(descriptor(TEXT, PACKED.length, { signed: false, wide: true }), {
        ...{ crc: 0, size: ONES, compressedSize: ONES, extra: zip64Field(0, 0) },
      }),
    ]),
    "a.txt",
    TEXT,
  ],
  ["one that repeats the sizes of the header", forge([streamed(later, {})]), "a.txt", TEXT],
  [
    "zip64 sizes",
    forge([{ ...INDEX, size: ONES, compressedSize: ONES, extra: zip64Field(7, 7) }]),
    "index.html",
    "content",
  ],
  ["zip64 end records", forge([INDEX], { zip64: {} }), "index.html", "content"],
  [
    "zip64 end records alone",
    forge([INDEX], { entries: 0xffff, size: ONES, offset: ONES, zip64: {} }),
    "index.html",
    "content",
  ],
  [
    "a zip in the zip",
    forge([INDEX, { name: "a.zip", content: forge([INDEX]) }]),
    "a.zip",
    forge([INDEX]).toString("latin1"),
  ],
  [
    "an outdated path in UTF-8",
    forge([{ ...INDEX, extra: unicodePath("é.html", Buffer.alloc(4)) }]),
    "index.html",
    "content",
  ],
  [
    "a link and an encrypted entry in a dot folder",
    forge([INDEX, { name: ".a/b", mode: 0o120777 }, { name: ".a/c", flags: 0x801 }]),
  ],
];

const HOSTILE: [name: string, bytes: Buffer][] = [
  ["a device", forge([INDEX, { name: "a", mode: 0o020666 }])],
  ["a pipe", forge([INDEX, { name: "a", mode: 0o010666 }])],
  [
    "a link by an extra field",
    forge([INDEX, { name: "a", extra: extraField(0x756e, Buffer.from([0, 0, 0, 0, 0xff, 0xa1])) }]),
  ],
  ["a hard link by an extra field", forge([INDEX, { name: "a", extra: extraField(0xd, Buffer.alloc(20)) }])],
  [
    "a link in the local header only",
    forge([{ ...INDEX, local: { extra: extraField(0xd, Buffer.alloc(20)) } }]),
  ],
  [
    "an extra field that occurs twice",
    forge([{ ...INDEX, extra: Buffer.concat([extraField(0xd, none), extraField(0xd, none)]) }]),
  ],
  ["a folder with content", forge([INDEX, { name: "a/" }])],
  ["a folder above the bundle", forge([INDEX, { name: "../a/", content: "" }])],
  ["an absolute folder", forge([INDEX, { name: "/a/", content: "" }])],
  ["a name that is not UTF-8", forge([INDEX, { name: Buffer.from("caf\x82.txt", "latin1"), flags: 0 }])],
  ["a name that is not UTF-8, though flagged", forge([INDEX, { name: Buffer.from([0xc3, 0x28]) }])],
  ["a name with an encoded surrogate", forge([INDEX, { name: Buffer.from([0xed, 0xa0, 0x80]) }])],
  ["names that differ only in case", forge([INDEX, { name: "Index.HTML" }])],

  ["another name in the local header", forge([{ ...INDEX, local: { name: "other.html" } }])],
  ["a longer name in the local header", forge([{ ...INDEX, local: { name: "index.html2" } }])],
  ["another method in the local header", forge([{ ...INDEX, local: { method: 8 } }])],
  ["another checksum in the local header", forge([{ ...INDEX, local: { crc: 1 } }])],
  ["another size in the local header", forge([{ ...INDEX, local: { size: 8 } }])],
  ["another compressed size in the local header", forge([{ ...INDEX, local: { compressedSize: 6 } }])],
  [
    "no sizes in the local header, and no descriptor",
    forge([{ ...INDEX, local: { size: 0, compressedSize: 0, crc: 0 } }]),
  ],
  ["encryption in the local header only", forge([{ ...INDEX, local: { flags: 0x801 } }])],
  [
    "a path in UTF-8 in the local header only",
    forge([
      {
        ...INDEX,
        local: {
          extra: extraField(
            0x7075,
            Buffer.concat([Buffer.from([1]), crcOf("index.html"), Buffer.from("b.html")]),
          ),
        },
      },
    ]),
  ],
  [
    "a path in UTF-8 of a folder for a file",
    forge([INDEX, { name: "a", extra: unicodePath("a/", crcOf("a")) }]),
  ],
  ["a flag for a descriptor that is missing", forge([streamed(none, {})])],
  ["a descriptor with another size", forge([streamed(descriptor(TEXT, PACKED.length + 1))])],
  ["a descriptor with another checksum", forge([streamed(descriptor(`${TEXT}!`, PACKED.length))])],
  ["a descriptor and more", forge([streamed(Buffer.concat([later, junk]))])],
  ["a descriptor without its flag", forge([{ ...streamed(later, {}), flags: 0x800 }])],

  ["bytes before the first entry", forge([{ ...INDEX, before: junk }])],
  ["bytes between entries", forge([INDEX, { name: "a", before: junk }])],
  ["bytes between the entries and the directory", forge([{ ...INDEX, after: junk }])],
  ["bytes between the directory and the end", forge([INDEX], { before: junk })],
  ["bytes after the end", forge([INDEX], { after: junk })],
  ["an end record in the comment", forge([INDEX], { comment: forge([]) })],
  ["two zips one after the other", Buffer.concat([forge([INDEX]), forge([INDEX])])],
  ["an entry that the directory leaves out", Buffer.concat([forge([INDEX]).subarray(0, 47), forge([INDEX])])],
  ["two entries with the same data", forge([INDEX, { name: "b.html", offset: 0 }])],
  ["two headers with the same data", forge([{ ...INDEX, compressedSize: 60, size: 60 }, { name: "b.html" }])],
  ["an entry that covers the directory", forge([{ ...INDEX, compressedSize: 60, size: 60 }])],
  [
    "data after the end of its compression",
    forge([{ ...INDEX, content: TEXT, method: 8, data: Buffer.concat([PACKED, junk]) }]),
  ],
  [
    "compressed data without its end",
    forge([{ ...INDEX, content: TEXT, method: 8, data: PACKED.subarray(0, -1) }]),
  ],
  [
    "compressed data that is none",
    forge([{ ...INDEX, content: TEXT, method: 8, data: Buffer.from("\xff\xff\xff", "latin1") }]),
  ],

  ["another part", forge([INDEX], { disk: 1 })],
  ["entries in another part", forge([INDEX], { here: 0 })],
  ["an entry in another part", forge([{ ...INDEX, disk: 1 }])],
  ["more entries than it counts", forge([INDEX, { name: "a" }], { entries: 1 })],
  ["a directory that is longer", forge([INDEX], { size: 60 })],
  ["a directory elsewhere", forge([INDEX], { offset: 0 })],
  ["other entries in the zip64 end", forge([INDEX], { zip64: { entries: 2 } })],
  ["more entries than numbers can count", forge([INDEX], { entries: 0xffff, zip64: { entries: 2 ** 53 } })],
  ["another offset in the zip64 end", forge([INDEX], { zip64: { offset: 1 } })],
  ["another size in the zip64 end", forge([INDEX], { size: ONES, zip64: { size: 1 } })],
  ["an extended zip64 end", forge([INDEX], { zip64: { bytes: 45 } })],
  ["a zip64 locator that points elsewhere", forge([INDEX], { zip64: { at: 0 } })],
  ["a zip64 locator of several parts", forge([INDEX], { zip64: { disks: 2 } })],
  ["zip64 marks without a locator", forge([INDEX], { entries: 0xffff, size: ONES, offset: ONES })],
  ["a zip64 field that nothing needs", forge([{ ...INDEX, extra: zip64Field(7, 7) }])],
  [
    "a zip64 field that is too short",
    forge([{ ...INDEX, size: ONES, compressedSize: ONES, extra: zip64Field(7) }]),
  ],
  [
    "a zip64 field of half a number",
    forge([{ ...INDEX, size: ONES, extra: extraField(1, Buffer.alloc(4)) }]),
  ],
  ["a zip64 field that is missing", forge([{ ...INDEX, size: ONES, compressedSize: ONES }])],
  ["other sizes in the local zip64 field", forge([{ ...INDEX, local: { extra: zip64Field(8, 8) } }])],
];

function crcOf(name: string): Buffer {
  return descriptor(name, 0, { signed: false }).subarray(0, 4);
}

const file = path.join(await temporaryDirectory({ after }), "bundle.zip");

describe("the reader of zips", () => {
  /** Reads a bundle. Returns its files with their content, or "refused" for a 400. Any other error fails the test. */
  async function read(bytes: Buffer): Promise<Map<string, Buffer> | "refused"> {
    await writeFile(file, bytes);
    try {
      return await withBundle(file, async ({ files }) => {
        const contents = new Map<string, Buffer>();
        for (const { path, size, open } of files) {
          const chunks: Uint8Array[] = [];
          for await (const chunk of await open()) chunks.push(chunk);
          contents.set(path, Buffer.concat(chunks));
          assert.equal(contents.get(path)?.length, size);
        }
        return contents;
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      assert.deepEqual([error.status, error.code], [400, "INVALID_BODY"]);
      return "refused";
    }
  }

  /** Returns the content of each file of a zip, as another zip library reads it. */
  async function readByOther(bytes: Buffer): Promise<Map<string, Buffer>> {
    const archive = await fromBufferPromise(bytes);
    const contents = new Map<string, Buffer>();
    for await (const entry of archive.eachEntry()) {
      if (entry.fileName.endsWith("/")) continue;
      contents.set(entry.fileName, await buffer(await archive.openReadStreamPromise(entry)));
    }
    return contents;
  }

  for (const [name, bytes, at = "index.html", content = "content"] of SOUND) {
    it(`${name}: every file is read unchanged`, async () => {
      const files = await read(bytes);
      assert.ok(files !== "refused");
      assert.equal(files.get(at)?.toString("latin1"), content);
    });
  }

  for (const [name, bytes] of HOSTILE) {
    it(`${name}: 400 INVALID_BODY`, async () => assert.equal(await read(bytes), "refused"));
  }

  const small = forge(
    [INDEX, streamed(later), { name: "b/c.txt", content: "", extra: extraField(9, junk) }],
    {
      comment: junk,
    },
  );

  it("cut off at any byte, at its end or its beginning: 400 INVALID_BODY", async () => {
    assert.notEqual(await read(small), "refused");
    for (let at = 0; at < small.length; at++) {
      assert.equal(await read(small.subarray(0, at)), "refused", `the first ${at} bytes`);
      if (at > 0) assert.equal(await read(small.subarray(at)), "refused", `without the first ${at} bytes`);
    }
  });

  it("any change of the bytes: 400 INVALID_BODY, or the files that another reader sees", async () => {
    const place = fc.nat({ max: small.length - 1 });
    const changes: fc.Arbitrary<(bytes: Buffer) => Buffer>[] = [
      fc.tuple(place, fc.nat({ max: 255 })).map(([at, value]) => (bytes) => {
        const copy = Buffer.from(bytes);
        copy[at % copy.length] = value;
        return copy;
      }),
      fc.tuple(place, fc.nat({ max: 255 }), fc.nat({ max: 255 })).map(([at, from, to]) => (bytes) => {
        // Replaces one byte value everywhere, so that both headers of an entry change alike.
        const copy = Buffer.from(bytes);
        const old = copy[at % copy.length] ?? from;
        for (const [index, value] of copy.entries()) if (value === old) copy[index] = to;
        return copy;
      }),
      fc.tuple(place, fc.nat({ max: 40 })).map(
        ([at, length]) =>
          (bytes) =>
            Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]),
      ),
      fc.tuple(place, place, fc.nat({ max: 60 })).map(
        ([from, to, length]) =>
          (bytes) =>
            Buffer.concat([bytes.subarray(0, to), bytes.subarray(from, from + length), bytes.subarray(to)]),
      ),
    ];
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(...changes), { minLength: 1, maxLength: 3 }), async (steps) => {
        const bytes = steps.reduce((changed, change) => change(changed), small);
        // A body that begins like a page is no zip.
        if (/^\ufeff?\s*</.test(bytes.toString("utf8"))) return;
        const files = await read(bytes);
        if (files === "refused") return;
        accepted++;
        const others = [...(await readByOther(bytes)).values()].map((each) => each.toString("hex"));
        for (const content of files.values()) assert.ok(others.includes(content.toString("hex")));
      }),
      { numRuns: 500 },
    );
    assert.ok(accepted > 0);
  });

  it("5,000 entries are read in many turns of the event loop", async () => {
    await writeFile(file, forge(Array.from({ length: 5_000 }, (_, index) => ({ name: `${index}.txt` }))));
    let turns = 0;
    let reading = true;
    const count = () => {
      turns++;
      if (reading) setImmediate(count);
    };
    setImmediate(count);
    assert.equal(await withBundle(file, async ({ files }) => files.length), 5_000);
    reading = false;
    assert.ok(turns >= 40, String(turns));
  });
});
