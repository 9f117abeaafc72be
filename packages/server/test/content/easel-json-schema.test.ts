import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type Header, send } from "@easel/conformance/http";
import { startDev } from "../support/engines.ts";
import { PROXY } from "../support/service.ts";

const PATH = "/schema/easel.json";

const targets = {
  path: (await startDev({ after })).target,
  subdomain: (await startDev({ after }, { SERVICE_URL_MODE: "subdomain" })).target,
  "path, behind a proxy": (await startDev({ after }, PROXY)).target,
};

for (const [name, { base }] of Object.entries(targets)) {
  describe(`GET /schema/easel.json, canvases by ${name}`, () => {
    it("everyone gets the schema, on every origin, for an hour", async () => {
      const { status, headers, text, json } = await send(base, { method: "GET", path: PATH });
      assert.equal(status, 200, text);
      assert.equal(headers["content-type"], "application/schema+json; charset=utf-8");
      assert.equal(headers["cache-control"], "public, max-age=3600");
      assert.equal(headers["access-control-allow-origin"], "*");
      assert.equal(headers["set-cookie"], undefined);
      assert.equal(json.$id, base + PATH);
      assert.equal(json.$schema, "https://json-schema.org/draft/2020-12/schema");
      assert.deepEqual(Object.keys(json.properties as object), [
        "$schema",
        "title",
        "slug",
        "spa",
        "description",
        "policy",
        "capabilities",
      ]);
    });

    it("304 for its ETag", async () => {
      const { headers } = await send(base, { method: "GET", path: PATH });
      const known: [string, string] = ["If-None-Match", String(headers.etag)];
      const again = await send(base, { method: "GET", path: PATH, headers: [known] });
      assert.deepEqual([again.status, again.text], [304, ""]);
    });

    it("Brotli or gzip for a client that reads it, each with its own ETag; HEAD without a body", async () => {
      const plain = await send(base, { method: "GET", path: PATH });
      const etags = new Set([plain.headers.etag]);
      for (const [encoding, decode] of Object.entries({ br: brotliDecompressSync, gzip: gunzipSync })) {
        const headers: Header[] = [["Accept-Encoding", encoding]];
        const answer = await send(base, { method: "GET", path: PATH, headers });
        assert.equal(answer.headers["content-encoding"], encoding);
        assert.equal(answer.headers.vary, "Accept-Encoding");
        assert.deepEqual(decode(answer.bytes), plain.bytes);
        etags.add(answer.headers.etag);
      }
      assert.equal(etags.size, 3);
      const { status, text, headers } = await send(base, { method: "HEAD", path: PATH });
      assert.deepEqual([status, text, headers.etag], [200, "", plain.headers.etag]);
      assert.equal(headers["content-length"], String(plain.bytes.length));
    });
  });
}
