import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type Stage, stage } from "@easel/conformance/fixture";
import { type Header, start } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";

const LONG = `<!doctype html><title>long</title>${"<p>Well, well, well.</p>".repeat(100)}`;
const BIG = Buffer.alloc(300 * 1024, "not kept in memory ");
const FILES = {
  "ten.bin": "0123456789",
  "empty.bin": "",
  "long.html": LONG,
  "short.html": "<p>short",
  "big.bin": BIG,
};

const { target, env } = await startDev({ after });

describe("conditions, ranges and encodings", () => {
  let site: Stage;
  before(async () => {
    site = await stage(target);
    await publish(target, site, FILES);
    await env.compressions.settled();
  });
  const get = (path: string, headers: Header[] = [], method = "GET") =>
    visit(target, site.slug, site.people.viewer, path, headers, method);
  const etagOf = async (path: string, headers: Header[] = []) =>
    String((await get(path, headers)).headers.etag);

  it("an ETag is strong, and the same for the same bytes at another path and version", async () => {
    const before = await etagOf("ten.bin");
    assert.match(before, /^"[^"]+"$/);
    await publish(target, site, { ...FILES, "copy.bin": FILES["ten.bin"] });
    assert.deepEqual([await etagOf("ten.bin"), await etagOf("copy.bin")], [before, before]);
  });

  const known: [name: string, header: (etag: string) => string, status: number][] = [
    ["the ETag", (etag) => etag, 304],
    ["the ETag, weak", (etag) => `W/${etag}`, 304],
    ["the ETag among others", (etag) => `"other", ${etag} , W/"more"`, 304],
    ["any", () => "*", 304],
    ["another ETag", () => '"other"', 200],
    ["no ETag at all", (etag) => etag.replaceAll('"', ""), 200],
    ["nothing", () => "", 200],
  ];
  for (const [name, header, status] of known) {
    it(`If-None-Match with ${name}: ${status}`, async () => {
      for (const method of ["GET", "HEAD"]) {
        const etag = await etagOf("ten.bin");
        const answer = await get("ten.bin", [["If-None-Match", header(etag)]], method);
        assert.equal(answer.status, status);
        assert.equal(answer.text, status === 200 && method === "GET" ? "0123456789" : "");
        assert.deepEqual([answer.headers.etag, answer.headers.vary], [etag, "Accept-Encoding"]);
        if (status === 304) assert.equal(answer.headers["content-type"], undefined);
      }
    });
  }

  it("If-None-Match goes before Range", async () => {
    const etag = await etagOf("ten.bin");
    assert.equal(
      (
        await get("ten.bin", [
          ["If-None-Match", etag],
          ["Range", "bytes=0-1"],
        ])
      ).status,
      304,
    );
  });

  const ranges: [header: string, part: string, at: string][] = [
    ["bytes=0-3", "0123", "0-3"],
    ["bytes=4-", "456789", "4-9"],
    ["bytes=-3", "789", "7-9"],
    ["bytes=9-9", "9", "9-9"],
    ["bytes=8-99999999999999999999", "89", "8-9"],
    ["bytes=-10", "0123456789", "0-9"],
    ["bytes=-11", "0123456789", "0-9"],
  ];
  for (const [header, part, at] of ranges) {
    it(`Range: ${header}: 206 ${at}`, async () => {
      const { status, text, headers } = await get("ten.bin", [["Range", header]]);
      assert.deepEqual({ status, text }, { status: 206, text: part });
      assert.equal(headers["content-range"], `bytes ${at}/10`);
      assert.equal(headers["content-length"], String(part.length));
      assert.equal(headers["accept-ranges"], "bytes");
    });
  }

  for (const header of ["bytes=0-0,5-6", "items=0-1", "bytes=a-b", "bytes=", "bytes", "bytes=--1", ""]) {
    it(`Range: ${header || "nothing"}: all of it`, async () => {
      const { status, text, headers } = await get("ten.bin", [["Range", header]]);
      assert.deepEqual([status, text, headers["content-range"]], [200, "0123456789", undefined]);
    });
  }

  for (const header of ["bytes=10-", "bytes=99-100", "bytes=-0"]) {
    it(`Range: ${header}: 416 and the size`, async () => {
      const answer = await get("ten.bin", [["Range", header]]);
      assert.deepEqual([answer.status, answer.headers["content-range"]], [416, "bytes */10"]);
      refused(answer, 416, "RANGE_NOT_SATISFIABLE");
    });
  }

  it("a range of an empty file: 416", async () => {
    for (const header of ["bytes=0-", "bytes=0-0"]) {
      assert.equal((await get("empty.bin", [["Range", header]])).status, 416, header);
    }
  });

  it("only GET sends ranges", async () => {
    for (const header of ["bytes=0-3", "bytes=99-"]) {
      const { status, headers } = await get("ten.bin", [["Range", header]], "HEAD");
      assert.deepEqual([status, headers["content-length"], headers["content-range"]], [200, "10", undefined]);
    }
  });

  it("a range of a large file", async () => {
    const { status, text } = await get("big.bin", [["Range", `bytes=${BIG.length - 5}-`]]);
    assert.deepEqual([status, text], [206, BIG.subarray(-5).toString()]);
  });

  const validators: [name: string, header: (etag: string) => string, status: number][] = [
    ["the ETag", (etag) => etag, 206],
    ["another ETag", () => '"other"', 200],
    ["the ETag, weak", (etag) => `W/${etag}`, 200],
    ["a date", () => new Date().toUTCString(), 200],
  ];
  for (const [name, header, status] of validators) {
    it(`If-Range with ${name}: ${status}`, async () => {
      const condition: Header = ["If-Range", header(await etagOf("ten.bin"))];
      assert.equal((await get("ten.bin", [["Range", "bytes=0-3"], condition])).status, status);
      assert.equal(
        (await get("ten.bin", [["Range", "bytes=99-"], condition])).status,
        status === 206 ? 416 : 200,
      );
    });
  }

  /** Requests a file with an `Accept-Encoding`. Returns the headers, and the body as it was sent, still encoded. */
  async function bytes(
    path: string,
    encodings: string | null,
  ): Promise<{ headers: IncomingMessage["headers"]; body: Buffer }> {
    const headers: Header[] = encodings === null ? [] : [["Accept-Encoding", encodings]];
    const whole = [...site.people.viewer.headers, ...headers];
    const out = start(target.base, { method: "GET", path: `/c/${site.slug}/${path}`, headers: whole });
    out.end();
    const [response] = (await once(out, "response")) as [IncomingMessage];
    return { headers: response.headers, body: await buffer(response) };
  }

  const readers = { br: brotliDecompressSync, gzip: gunzipSync, identity: (body: Buffer) => body };
  const encodings: [header: string | null, encoding: keyof typeof readers][] = [
    ["br", "br"],
    ["gzip", "gzip"],
    ["gzip, deflate, br, zstd", "br"],
    ["GZIP", "gzip"],
    ["gzip;q=1.0, br;q=0", "gzip"],
    ["br;q=0.001", "br"],
    ["br;q=0.000, gzip; q=0", "identity"],
    ["deflate", "identity"],
    ["identity", "identity"],
    ["bra, xgzip", "identity"],
    ["", "identity"],
    [null, "identity"],
  ];
  for (const [header, encoding] of encodings) {
    it(`Accept-Encoding: ${header ?? "absent"}: ${encoding}, the same decoded bytes`, async () => {
      const { headers, body } = await bytes("long.html", header);
      assert.equal(headers["content-encoding"], encoding === "identity" ? undefined : encoding);
      assert.equal(headers["content-length"], String(body.length));
      assert.equal(headers["content-type"], "text/html; charset=utf-8");
      assert.equal(headers.vary, "Accept-Encoding");
      assert.equal(readers[encoding](body).toString(), LONG);
    });
  }

  it("each encoding has its own ETag, and only that one matches", async () => {
    const all = ["br", "gzip", "identity"].map((each): Header => ["Accept-Encoding", each]);
    const etags = await Promise.all(all.map((header) => etagOf("long.html", [header])));
    assert.equal(new Set(etags).size, 3);
    for (const [accepts, header] of all.entries()) {
      for (const [index, etag] of etags.entries()) {
        const { status } = await get("long.html", [header, ["If-None-Match", etag]]);
        assert.equal(status, index === accepts ? 304 : 200);
      }
    }
  });

  it("a range selects from the uncompressed bytes", async () => {
    const { status, text, headers } = await get("long.html", [
      ["Accept-Encoding", "br, gzip"],
      ["Range", "bytes=0-14"],
    ]);
    assert.deepEqual([status, text], [206, "<!doctype html>"]);
    assert.deepEqual([headers["content-encoding"], headers.etag], [undefined, await etagOf("long.html")]);
  });

  it("content that does not get smaller is sent uncompressed", async () => {
    for (const path of ["short.html", "ten.bin", "big.bin", "empty.bin"]) {
      const { headers, body } = await bytes(path, "br, gzip");
      assert.equal(headers["content-encoding"], undefined, path);
      assert.deepEqual(body, Buffer.from(FILES[path as keyof typeof FILES]), path);
    }
  });
});
