import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import type { Readable } from "node:stream";
import { it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { upload as uploadFile } from "@easel/conformance/files/form";
import { share } from "@easel/conformance/fixture";
import { start } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { uploadsOf } from "../../src/canvases/publishing/upload.ts";
import { onSqlite } from "../support/engines.ts";
import { forge, zip } from "../support/zip.ts";
import { entries, governed, jsonLines, MANIFEST, transfersAt } from "./data-archives.ts";

await onSqlite("hostile imports, and clients that disconnect", (target, env) => {
  const { importTo } = transfersAt(target);

  it("zips that are no exports, hostile or damaged: 400, and nothing is written", async () => {
    const canvas = await governed(target);
    const keys = { name: "kv/shared.jsonl", content: jsonLines({ key: "a", value: 1 }) };
    const manifest = { name: "manifest.json", content: MANIFEST };
    const rows: [name: string, body: Buffer][] = [
      ["no zip", Buffer.from("PK")],
      ["nothing", Buffer.alloc(0)],
      ["cut off", (await zip({ "manifest.json": MANIFEST, [keys.name]: keys.content })).subarray(0, -3)],
      ["no manifest", forge([keys])],
      ["another format", forge([keys, { name: "manifest.json", content: '{"format":"zip","version":1}' }])],
      [
        "a later version",
        forge([keys, { name: "manifest.json", content: '{"format":"easel-data","version":2}' }]),
      ],
      [
        "a large manifest",
        await zip({ [keys.name]: keys.content, "manifest.json": MANIFEST + " ".repeat(65_536) }),
      ],
      ["a name of 257 bytes", forge([manifest, keys, { name: `kv/${"x".repeat(254)}` }])],
      [
        "a directory of more than 8 MiB",
        forge([
          manifest,
          keys,
          ...Array.from({ length: 30_000 }, (_, at) => ({ name: `${at}`.padStart(240, "x") })),
        ]),
      ],
      ["a file twice", forge([manifest, keys, keys])],
      ["an encrypted file", forge([manifest, { ...keys, flags: 0x801 }])],
      ["a link", forge([manifest, { ...keys, mode: 0o120777 }])],
      ["files that overlap", forge([manifest, { ...keys, offset: 0 }])],
      ["a wrong checksum of the manifest", forge([{ ...manifest, crc: 1 }, keys])],
      [
        "a line that is too long",
        await zip({ "manifest.json": MANIFEST, [keys.name]: `"${"x".repeat(450_000)}` }),
      ],
      [
        "lines that claim to be too many bytes, in a file that is not read",
        forge([manifest, keys, { name: "other.jsonl", size: 0xfffffffe, method: 8 }]),
      ],
    ];
    for (const [name, body] of rows) {
      const answer = await importTo(canvas, "owner", body);
      assert.deepEqual([answer.status, answer.json.code], [400, "INVALID_BODY"], `${name}: ${answer.text}`);
      assert.deepEqual(await entries(canvas, "owner", "/kv"), [], name);
    }
    refused(
      await importTo(canvas, "owner", await zip({ "manifest.json": MANIFEST }), "", "text/html"),
      400,
      "INVALID_BODY",
    );
    assert.deepEqual(await readdir(uploadsOf(env)), []);
  });

  it("an editor who loses the role while the body arrives imports nothing", async () => {
    const canvas = await governed(target);
    const body = await zip({
      "manifest.json": MANIFEST,
      "kv/user.jsonl": jsonLines({ key: "late", value: 1 }),
    });
    const request = start(target.base, {
      method: "POST",
      path: `/api/canvases/${canvas.id}/import`,
      headers: [
        ...canvas.people.editor.headers,
        ["Content-Type", "application/zip"],
        ["Content-Length", `${body.length}`],
      ],
    });
    request.write(body.subarray(0, 10));
    while ((await readdir(uploadsOf(env)).catch(() => [])).length === 0) await delay(5);
    await share(target, canvas, "private", { editor: "viewer" });
    request.end(body.subarray(10));
    const [response] = await once(request, "response");
    response.resume();
    assert.equal(response.statusCode, 403);
    assert.deepEqual(await entries(canvas, "editor", "/kv/user"), []);
  });

  it("a client that disconnects ends the export, and the import before it has begun", async () => {
    const canvas = await governed(target);
    for (let index = 0; index < 4; index++)
      await uploadFile(canvas.pages.owner, {}, { bytes: Buffer.alloc(3_000_000, index) });
    const { get } = env.blobs;
    const opened: Readable[] = [];
    env.blobs.get = async (key, range) => {
      const stream = await get.call(env.blobs, key, range);
      if (stream !== null) opened.push(stream);
      return stream;
    };
    try {
      const request = start(
        target.base,
        { method: "GET", path: `/api/canvases/${canvas.id}/export`, headers: canvas.people.owner.headers },
        false,
      );
      request.end();
      const [response] = await once(request, "response");
      await once(response, "readable");
      response.destroy();
      for (const stream of opened) if (!stream.closed) await once(stream, "close");
      // Each of the four files is read twice.
      assert.ok(opened.length < 8, String(opened.length));
    } finally {
      env.blobs.get = get;
    }
    const aborted = start(
      target.base,
      {
        method: "POST",
        path: `/api/canvases/${canvas.id}/import`,
        headers: [
          ...canvas.people.owner.headers,
          ["Content-Type", "application/zip"],
          ["Content-Length", "1000"],
        ],
      },
      false,
    );
    aborted.on("error", () => {});
    aborted.write("PK");
    while ((await readdir(uploadsOf(env))).length === 0) await delay(5);
    aborted.destroy();
    while ((await readdir(uploadsOf(env))).length > 0) await delay(5);
  });
});
