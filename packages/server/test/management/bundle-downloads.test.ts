import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { before, it, mock } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { send, start } from "@easel/conformance/http";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { archiveOf } from "../../src/canvases/publishing/bundle-archive.ts";
import { textOf } from "../../src/drivers/db/db.ts";
import { onSqlite } from "../support/engines.ts";
import { publish, upload } from "../support/publish.ts";
import type { Files } from "../support/zip.ts";

const text = (size: number) => randomBytes(size / 2).toString("hex");

/** Files of bundles that are deployed and then downloaded. */
const BUNDLES: [name: string, files: Files][] = [
  ["a page", { "index.html": "<p>Hello" }],
  [
    "files of all kinds",
    {
      ...{ "index.html": "<p>Hello ".repeat(1_000), "easel.json": '{ "title": "Hello" }', "empty.txt": "" },
      ...{ "assets/app.js": text(400_000), "assets/photo.png": randomBytes(300_000), "a b/日本.txt": "name" },
      ".well-known/security.txt": "Contact: mailto:a@example.com",
      "copy.js": "const a = 1;\n".repeat(100),
      "again/copy.js": "const a = 1;\n".repeat(100),
      constructor: "own",
    },
  ],
  ["a folder alone inside of a folder", { "site/app/index.html": "deep", "site/app/a.txt": "a" }],
  ["a page with another name", { "report.html": "the report" }],
  [
    "more files than one read returns",
    Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`${index}.css`, "a { color: red }\n".repeat(100)]),
    ),
  ],
];

await onSqlite("downloads of bundles", (target, env) => {
  let site: Stage;
  before(async () => {
    site = await stage(target);
  });
  const path = (version?: string, id = site.id) =>
    `/api/canvases/${id}${version === undefined ? "" : `/versions/${version}`}/bundle`;
  /** Downloads a zip. Returns the response with its bytes. */
  const download = async (at: string, method = "GET") => {
    const response = await fetch(target.base + at, {
      method,
      headers: site.people.owner.headers.map(([name, value]) => [name, value] as [string, string]),
    });
    return {
      status: response.status,
      headers: response.headers,
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  };
  const filesOf = (version: string) => env.db.all`
    select path, mime, blob_key, size from version_files
    where version_id = ${version} and encoding = 'identity' order by path`;

  for (const [name, files] of BUNDLES) {
    it(`${name}: the zip deploys again to the same files, and is the same each time once they are compressed`, async () => {
      const version = await publish(target, site, files);
      await env.compressions.settled();
      const { status, headers, bytes } = await download(path());
      assert.deepEqual(
        [
          status,
          headers.get("content-type"),
          headers.get("content-disposition"),
          headers.get("content-length"),
        ],
        [200, "application/zip", `attachment; filename="${site.slug}.zip"`, String(bytes.length)],
      );
      assert.equal(headers.get("cache-control"), "private, no-store");
      const other = await stage(target, { people: site.people });
      const answer = await upload(target, site.people.owner, other.id, bytes);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.json.leftOut, []);
      assert.deepEqual(await filesOf(String(answer.json.version)), await filesOf(version));
      await env.compressions.settled();
      assert.ok((await download(path(version))).bytes.equals(bytes));
      assert.equal((await download(path(undefined, other.id))).bytes.length > 0, true);
    });
  }

  it("a version that would be too large is compressed while it is read, and deploys again", async () => {
    const version = await publish(target, site, {
      ...{ "index.html": "home", "data.bin": Buffer.alloc(900_000, "some data "), "b.bin": "b" },
      "app.js": "const a = 1;\n".repeat(1_000),
    });
    await env.compressions.settled();
    const ready = await archiveOf(version, env);
    const small = await archiveOf(version, env, 500_000);
    assert.ok((ready.size ?? 0) > 900_000);
    assert.equal(small.size, null);
    const bytes = await buffer(small.open());
    assert.ok(bytes.length < 20_000);
    const other = await stage(target, { people: site.people });
    const answer = await upload(target, site.people.owner, other.id, bytes);
    assert.deepEqual(await filesOf(String(answer.json.version)), await filesOf(version));
  });

  it("a file that an older release accepted and a deploy refuses is left out", async () => {
    const version = await publish(target, site, { "index.html": "home", "a.txt": "proof" });
    await env.db.run`
      update version_files set path = '.well-known/acme-challenge/token'
      where version_id = ${version} and path = 'a.txt'`;
    const answer = await upload(target, site.people.owner, site.id, (await download(path())).bytes);
    assert.equal(answer.status, 200, answer.text);
    assert.partialDeepStrictEqual(await filesOf(String(answer.json.version)), [{ path: "index.html" }]);
  });

  it("an older version, and the current one of an unpublished canvas", async () => {
    const first = await publish(target, site, { "index.html": "one" });
    const second = await publish(target, site, { "index.html": "two" });
    await manage(target, site.people.owner, "POST", `/api/canvases/${site.id}/unpublish`);
    const [old, current] = [await download(path(first)), await download(path())];
    assert.deepEqual([old.bytes.includes("one"), old.bytes.includes("two")], [true, false]);
    assert.deepEqual(current.bytes, (await download(path(second))).bytes);
    assert.equal(current.bytes.includes("two"), true);
  });

  it("HEAD: the headers, and no blob is read", async () => {
    await publish(target, site, { "index.html": "one" });
    const whole = await download(path());
    const get = mock.method(env.blobs, "get");
    try {
      const { status, headers, bytes } = await download(path(), "HEAD");
      assert.deepEqual([status, bytes.length], [200, 0]);
      assert.equal(headers.get("content-length"), String(whole.bytes.length));
      assert.equal(get.mock.callCount(), 0);
    } finally {
      get.mock.restore();
    }
  });

  it("a canvas without a version, an unknown version or one of another canvas: 404 NOT_FOUND", async () => {
    const draft = await stage(target, { people: site.people });
    const foreign = await publish(target, await stage(target), { "index.html": "other" });
    for (const at of [
      path(undefined, draft.id),
      path(foreign),
      path("none"),
      path("%00"),
      path("a".repeat(5000)),
    ])
      refused(await manage(target, site.people.owner, "GET", at), 404, "NOT_FOUND");
  });

  it("a version that is removed while its files are listed: 404 NOT_FOUND, not a part of it", async () => {
    const version = await publish(target, site, { "index.html": "one" });
    await publish(target, site, { "index.html": "two" });
    const all = env.db.all.bind(env.db);
    const reading = mock.method(env.db, "all", async (...statement: Parameters<typeof all>) => {
      const rows = await all(...statement);
      if (textOf(statement[0]).includes("from version_files"))
        await env.db.run`update versions set state = 'removing' where id = ${version}`;
      return rows;
    });
    try {
      refused(await manage(target, site.people.owner, "GET", path(version)), 404, "NOT_FOUND");
    } finally {
      reading.mock.restore();
    }
  });

  it("editors: 200; viewers: 403 PERMISSION_DENIED; strangers: 404 NOT_FOUND; anonymous: 401", async () => {
    const version = await publish(target, site, { "index.html": "one" });
    for (const at of [path(), path(version)]) {
      assert.equal((await manage(target, site.people.editor, "GET", at)).status, 200);
      refused(await manage(target, site.people.viewer, "GET", at), 403, "PERMISSION_DENIED");
      refused(await manage(target, site.people.stranger, "GET", at), 404, "NOT_FOUND");
      unauthenticated(await send(target.base, { method: "GET", path: at }));
    }
  });

  it("a client that reads nothing holds one file open, and closes it by going away", async () => {
    await publish(target, site, {
      "index.html": "home",
      ...Object.fromEntries(
        Array.from({ length: 5 }, (_, index) => [`${index}.png`, randomBytes(4_000_000)]),
      ),
    });
    const opened: Readable[] = [];
    const original = env.blobs.get.bind(env.blobs);
    const get = mock.method(env.blobs, "get", async (...key: Parameters<typeof original>) => {
      const stream = await original(...key);
      if (stream !== null) opened.push(stream);
      return stream;
    });
    try {
      const out = start(target.base, { method: "GET", path: path(), headers: site.people.owner.headers });
      out.end();
      const [response] = await once(out, "response");
      await once(response, "readable");
      response.read(1);
      assert.ok(opened.length < 12, "the service waits for the client");
      out.destroy();
      await Promise.all(
        opened.map((stream) => stream.closed || new Promise((close) => stream.once("close", close))),
      );
      assert.ok(opened.length < 12, "nothing is read for a client that has gone");
    } finally {
      get.mock.restore();
    }
  });

  it("a damaged blob: the connection closes before the end", async () => {
    await publish(target, site, { "index.html": "home", "z.js": "const a = 1;\n".repeat(1_000) });
    const original = env.blobs.get.bind(env.blobs);
    const get = mock.method(env.blobs, "get", async (...[key, range]: Parameters<typeof original>) => {
      if (range?.start !== 0) return original(key, range);
      return Readable.from([Buffer.from("no gzip at all")]);
    });
    try {
      await assert.rejects(download(path()));
    } finally {
      get.mock.restore();
    }
  });
});
