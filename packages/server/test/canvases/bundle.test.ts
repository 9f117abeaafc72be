import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { before, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Stage, stage } from "@easel/conformance/fixture";
import { read, start } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { LIMITS } from "@easel/protocol/limits";
import { onSqlite } from "../support/engines.ts";
import { publish, upload, visit } from "../support/publish.ts";
import { extraField, type Forged, forge, zip, zip64Field } from "../support/zip.ts";

const MIB = 1024 * 1024;
const INDEX: Forged = { name: "index.html" };
const SOUND = forge([INDEX, { name: "text.txt", content: "text ".repeat(1000), method: 8 }]);
const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `${index}.txt` }));

/** 6 MiB that compress to about a sixtieth, which the limit of the compression ratio allows. */
const roomy = Buffer.concat(Array.from({ length: 384 }, () => Buffer.concat([randomBytes(200)], 16 * 1024)));

const HOSTILE: [name: string, bytes: Buffer][] = [
  ["nothing at all", Buffer.alloc(0)],
  ["garbage", Buffer.from("no zip, only words ".repeat(100))],
  ["a zip without its end", SOUND.subarray(0, -30)],
  ["a zip without its beginning", SOUND.subarray(20)],
  ["an empty zip", forge([])],
  ["folders only", forge([{ name: "folder/", content: "" }])],
  ["litter only", forge([{ name: "__MACOSX/._index.html" }, { name: ".DS_Store" }])],
  ["dot files only", forge([{ name: ".env" }, { name: ".git/config" }, { name: "a/.b/index.html" }])],
  ["a dot folder around everything", forge([{ name: ".git/index.html" }, { name: ".git/config" }])],
  ["fewer entries than it counts", forge([INDEX], { entries: 3 })],
  ["5,001 entries", forge(numbered(LIMITS.bundleEntries.value + 1))],

  ["a path above the bundle", forge([INDEX, { name: "../up.txt" }])],
  ["a path above the bundle, deeper down", forge([INDEX, { name: "a/../../up.txt" }])],
  ["an absolute path", forge([INDEX, { name: "/etc/passwd" }])],
  ["a path with a drive", forge([INDEX, { name: "C:/file.txt" }])],
  ["a backslash", forge([INDEX, { name: "..\\up.txt" }])],
  ["a NUL", forge([INDEX, { name: "index.html\0.txt" }])],
  ["a line break", forge([INDEX, { name: "a\nb.txt" }])],
  ["an empty segment", forge([INDEX, { name: "a//b.txt" }])],
  ["a dot for a segment", forge([INDEX, { name: "./a.txt" }])],
  ["no name", forge([INDEX, { name: "" }])],
  ["a name over 1 KiB", forge([INDEX, { name: "n".repeat(LIMITS.bundlePathBytes.value + 1) }])],
  ["a name over 1 KiB in bytes", forge([INDEX, { name: "é".repeat(LIMITS.bundlePathBytes.value / 2 + 1) }])],
  ["a name of 64 KiB", forge([INDEX, { name: "n".repeat(0xffff) }])],
  ["the same name twice", forge([INDEX, INDEX])],
  ["a file that is also a folder", forge([{ name: "a" }, { name: "a/b.txt" }])],
  ["a link", forge([INDEX, { name: "link", content: "/etc/passwd", mode: 0o120777 }])],

  ["a device", forge([INDEX, { name: "tty", mode: 0o020666 }])],
  ["a hard link", forge([INDEX, { name: "a", extra: extraField(0xd, Buffer.alloc(20)) }])],
  ["names that differ only in case", forge([INDEX, { name: "Index.html" }])],
  ["a name that is not UTF-8", forge([INDEX, { name: Buffer.from([0x82]), flags: 0 }])],
  ["another name in the local header", forge([{ ...INDEX, local: { name: "other.html" } }])],
  ["entries that overlap", forge([INDEX, { name: "b.html", offset: 0 }])],
  ["bytes between entries", forge([INDEX, { name: "b.html", before: Buffer.from("junk") }])],
  ["bytes before the first entry", forge([{ ...INDEX, before: Buffer.from("junk") }])],
  ["bytes after the end", forge([INDEX], { after: Buffer.from("junk") })],
  ["one of several parts", forge([INDEX], { disk: 1 })],
  ["end records that differ", forge([INDEX], { zip64: { entries: 2 } })],

  ["an encrypted entry", forge([{ ...INDEX, content: "twenty bytes of text", size: 8, flags: 0x801 }])],
  ["a strongly encrypted entry", forge([{ ...INDEX, flags: 0x841 }])],
  ["an unknown compression", forge([{ ...INDEX, method: 12 }])],
  ["a size that is too small", forge([{ ...INDEX, method: 8, size: 3 }])],
  ["a size that is too large", forge([{ ...INDEX, method: 8, size: 300 }])],
  ["two sizes of one stored file", forge([{ ...INDEX, size: 3 }])],
  ["a compressed size that is too small", forge([{ ...INDEX, method: 8, compressedSize: 3 }])],
  ["a compressed size of nothing", forge([INDEX, { name: "a.txt", method: 8, compressedSize: 0 }])],
  [
    "8 MiB that claim to be 100 bytes",
    forge([{ name: "zeros.bin", content: Buffer.alloc(8 * MIB), method: 8, size: 100 }]),
  ],
  ["a wrong checksum", forge([{ ...INDEX, method: 8, crc: 1 }])],
  ["a wrong checksum of a stored file", forge([{ ...INDEX, crc: 1 }])],
  ["sizes that leave out the end of a stored file", forge([{ ...INDEX, size: 3, compressedSize: 3 }])],
  ["a compressed size past the end", forge([{ ...INDEX, method: 8, compressedSize: 2 ** 31 }])],
  ["a stored file past the end", forge([{ ...INDEX, size: 5000, compressedSize: 5000 }])],
  ["an offset past the end", forge([{ ...INDEX, offset: 4_000_000_000 }])],
  ["an offset into other bytes", forge([{ ...INDEX, offset: 5 }])],
  ["an offset of 2^60", forge([{ ...INDEX, offset: 0xffffffff, extra: zip64Field(2n ** 60n) }])],
  [
    "sizes of 2^62",
    forge([
      { ...INDEX, size: 0xffffffff, compressedSize: 0xffffffff, extra: zip64Field(2n ** 62n, 2n ** 62n) },
    ]),
  ],
  ["an extra field past its end", forge([{ ...INDEX, extra: Buffer.from([1, 0, 255, 255, 0]) }])],
  ["8 MiB from 8 KiB", forge([INDEX, { name: "zeros.bin", content: Buffer.alloc(8 * MIB), method: 8 }])],
  [
    "over 250 MiB in parts",
    forge(numbered(42).map(({ name }) => ({ name: `${name}.bin`, content: roomy, method: 8 }))),
  ],
];

await onSqlite("bundles", (target, env) => {
  let site: Stage;
  before(async () => {
    site = await stage(target, { access: "whole_org" });
    await publish(target, site, { "index.html": "as it was" });
  });

  /** Returns the state of the service that a refused bundle must not change. */
  async function state() {
    return {
      canvas: await env.db.all`select version_id, updated_at from canvases`,
      versions: await env.db.all`select id, replaced_at from versions order by id`,
      files: await env.db.all`select version_id, path, blob_key from version_files order by version_id, path`,
      blobs: await env.db.all`select blob_key, uses from bundle_blobs order by blob_key`,
      page: (await visit(target, site.slug, site.people.owner)).text,
      uploads: await readdir(path.join(env.config.dataDir, "uploads")),
    };
  }

  for (const [name, bytes] of HOSTILE) {
    it(`${name}: 400 INVALID_BODY, and nothing changes`, async () => {
      const asItWas = await state();
      refused(await upload(target, site.people.owner, site.id, bytes), 400, "INVALID_BODY");
      assert.deepEqual(await state(), asItWas);
      assert.deepEqual(asItWas.uploads, []);
      assert.equal(asItWas.page, "as it was");
    });
  }

  for (const type of ["text/plain", "application/json", "multipart/form-data; boundary=x"]) {
    it(`a sound zip as ${type}: 400 INVALID_BODY, and nothing changes`, async () => {
      const asItWas = await state();
      refused(await upload(target, site.people.owner, site.id, SOUND, type), 400, "INVALID_BODY");
      assert.deepEqual(await state(), asItWas);
    });
  }

  for (const type of ["zip", ""]) {
    it(`a sound zip as \`${type}\`, which is not a media type: 400 INVALID_BODY`, async () => {
      refused(await upload(target, site.people.owner, site.id, SOUND, type), 400, "INVALID_BODY");
    });
  }

  const headers = (length: [string, string]): [string, string][] => [
    ...site.people.owner.headers,
    ["Content-Type", "application/zip"],
    length,
  ];
  const put = (length: [string, string]) =>
    start(target.base, {
      method: "PUT",
      path: `/api/canvases/${site.id}/bundle`,
      headers: headers(length),
    });

  it("over 50 MiB by Content-Length: 413 before any byte is sent", async () => {
    const asItWas = await state();
    const out = put(["Content-Length", String(LIMITS.bundleBytes.value + 1)]);
    const answer = await new Promise<Awaited<ReturnType<typeof read>>>((resolve, reject) => {
      out.on("error", reject).on("response", (response) => resolve(read(response)));
      out.flushHeaders();
    });
    out.destroy();
    refused(answer, 413, "INVALID_BODY");
    assert.equal(answer.json.message, "bundle too large");
    assert.deepEqual(await state(), asItWas);
  });

  it("over 50 MiB, in chunks: 413, and nothing changes", async () => {
    const asItWas = await state();
    const out = put(["Transfer-Encoding", "chunked"]);
    const answer = await new Promise<Awaited<ReturnType<typeof read>>>((resolve, reject) => {
      out.on("error", reject).on("response", (response) => resolve(read(response)));
      out.end(Buffer.alloc(LIMITS.bundleBytes.value + 1));
    });
    refused(answer, 413, "INVALID_BODY");
    assert.equal(answer.json.message, "bundle too large");
    assert.deepEqual(await state(), asItWas);
    // The service reads the rest of a refused body for a moment. Nothing may change in that time.
    await sleep(2_500);
    assert.deepEqual(await state(), asItWas);
  });

  it("a valid zip deploys after all of them", async () => {
    const answer = await upload(target, site.people.owner, site.id, await zip({ "index.html": "new" }));
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await visit(target, site.slug, site.people.owner)).text, "new");
  });
});
