import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { before, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import { onEngines } from "./engines.ts";
import { publish, upload, visit } from "./publish.ts";
import { forge, zip } from "./zip.ts";

/** A bundle as a tool made it, and what is then served at a path. */
const SOUND: [name: string, bytes: Buffer | Promise<Buffer>, path: string, content: string][] = [
  ["stored files", forge([{ name: "index.html", content: "stored" }]), "", "stored"],
  ["compressed files", forge([{ name: "index.html", content: "small", method: 8 }]), "", "small"],
  ["files of a library", zip({ "index.html": "home", "a/b/c.txt": "deep" }), "a/b/c.txt", "deep"],
  ["an empty file", zip({ "index.html": "home", "empty.txt": "" }), "empty.txt", ""],
  ["entries of folders", forge([{ name: "a/", content: "" }, { name: "a.txt" }]), "a.txt", "content"],
  ["a folder around everything", zip({ "site/index.html": "home", "site/a/b.txt": "b" }), "a/b.txt", "b"],
  [
    "a folder and its litter",
    zip({ "site/index.html": "home", "__MACOSX/site/._index.html": "x", "site/.DS_Store": "x" }),
    "",
    "home",
  ],
  ["a folder of two levels, of which one is taken away", zip({ "a/b/index.html": "home" }), "b/", "home"],
  ["a folder beside a file", zip({ "site/index.html": "home", "a.txt": "a" }), "site/", "home"],
  [
    "a name in UTF-8",
    zip({ "index.html": "home", "grün/日本.txt": "name" }),
    "gr%C3%BCn/%E6%97%A5%E6%9C%AC.txt",
    "name",
  ],
  [
    "a name in code page 437",
    forge([{ name: Buffer.from("caf\x82.txt", "latin1"), flags: 0 }]),
    "caf%C3%A9.txt",
    "content",
  ],
  ["a name of 1 KiB", forge([{ name: "n".repeat(1024) }]), "n".repeat(1024), "content"],
  ["a name that objects have", zip({ constructor: "own" }), "constructor", "own"],
];

await onEngines("deploying", (target, env) => {
  let site: Stage;
  before(async () => {
    site = await stage(target);
  });

  for (const [name, bytes, where, content] of SOUND) {
    it(`${name}: deployed and served`, async () => {
      const answer = await upload(target, site.people.owner, site.id, await bytes);
      assert.equal(answer.status, 200, answer.text);
      const { status, text } = await visit(target, site.slug, site.people.viewer, where);
      assert.deepEqual({ status, text }, { status: 200, text: content });
      assert.deepEqual(await readdir(path.join(env.config.dataDir, "uploads")), []);
    });
  }

  it("litter is left out", async () => {
    await publish(target, site, {
      "s/index.html": "home",
      "__MACOSX/s/._index.html": "x",
      "s/Thumbs.db": "x",
    });
    for (const where of ["__MACOSX/s/._index.html", "Thumbs.db", "s/Thumbs.db", ".DS_Store"]) {
      assert.equal((await visit(target, site.slug, site.people.owner, where)).status, 404, where);
    }
  });

  it("a deploy replaces everything and is the canvas's new version", async () => {
    const first = await publish(target, site, { "index.html": "one", "old.txt": "old" });
    const second = await publish(target, site, { "index.html": "two" });
    assert.notEqual(second, first);
    assert.equal((await visit(target, site.slug, site.people.viewer)).text, "two");
    assert.equal((await visit(target, site.slug, site.people.viewer, "old.txt")).status, 404);
    const read = await manage(target, site.people.viewer, "GET", `/api/canvases/${site.id}`);
    assert.deepEqual([read.json.version, read.json.publicationStatus], [second, "published"]);
  });

  it("two deploys at once: both versions exist, one is the current one", async () => {
    const race = await stage(target);
    const bundles = await Promise.all([zip({ "index.html": "a" }), zip({ "index.html": "b" })]);
    const answers = await Promise.all(
      bundles.map((each) => upload(target, race.people.owner, race.id, each)),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    const versions = await env.db.all<{ id: string; replaced_at: number | null }>`
      select id, replaced_at from versions where canvas_id = ${race.id}`;
    assert.equal(versions.length, 2);
    const { version } = (await manage(target, race.people.owner, "GET", `/api/canvases/${race.id}`)).json;
    const current = versions.filter(({ id }) => id === version);
    assert.deepEqual(
      current.map(({ replaced_at }) => replaced_at),
      [null],
    );
    assert.equal(versions.filter(({ replaced_at }) => replaced_at === null).length, 1);
    const page = await visit(target, race.slug, race.people.viewer);
    assert.match(page.text, /^[ab]$/);
  });

  const roles: [
    name: string,
    who: (each: Stage) => Person,
    status: number,
    code: "PERMISSION_DENIED" | "NOT_FOUND",
  ][] = [
    ["a viewer", ({ people }) => people.viewer, 403, "PERMISSION_DENIED"],
    ["a stranger", ({ people }) => people.stranger, 404, "NOT_FOUND"],
  ];
  for (const [name, who, status, code] of roles) {
    it(`${name} deploys: ${status} ${code}, whatever the bundle is`, async () => {
      const asItWas = await publish(target, site, { "index.html": "home" });
      for (const bytes of [await zip({ "index.html": "mine" }), Buffer.from("garbage")]) {
        refused(await upload(target, who(site), site.id, bytes), status, code);
      }
      const read = await manage(target, site.people.owner, "GET", `/api/canvases/${site.id}`);
      assert.equal(read.json.version, asItWas);
    });
  }

  it("an editor deploys, and the version is theirs", async () => {
    const answer = await upload(target, site.people.editor, site.id, await zip({ "index.html": "edited" }));
    assert.equal(answer.status, 200, answer.text);
    const me = await manage(target, site.people.editor, "GET", "/api/me");
    const rows = await env.db.all<{ created_by: string }>`
      select created_by from versions where id = ${String(answer.json.version)}`;
    assert.deepEqual(
      rows.map((row) => row.created_by),
      [me.json.id],
    );
  });

  it("nobody deploys: 401", async () => {
    unauthenticated(await upload(target, { ...site.people.owner, headers: [] }, site.id, Buffer.from("x")));
  });

  it("a disabled canvas: 409 DISABLED for those who manage it, the reason at the end", async () => {
    const off = await stage(target);
    await publish(target, off, { "index.html": "home" });
    await env.db
      .run`update canvases set disabled_at = ${Date.now()}, disabled_reason = ${"Spam."} where id = ${off.id}`;
    for (const person of [off.people.owner, off.people.editor]) {
      const answer = await upload(target, person, off.id, await zip({ "index.html": "again" }));
      refused(answer, 409, "DISABLED");
      assert.match(String(answer.json.message), / Spam\.$/);
    }
    refused(await upload(target, off.people.viewer, off.id, Buffer.from("x")), 403, "PERMISSION_DENIED");
    const rows = await env.db.all`select id from versions where canvas_id = ${off.id}`;
    assert.equal(rows.length, 1);
  });

  it("a canvas that does not exist: 404 NOT_FOUND", async () => {
    for (const id of ["none", "../canvases", "a".repeat(5000)]) {
      const where = encodeURIComponent(id);
      refused(await upload(target, site.people.owner, where, Buffer.from("x")), 404, "NOT_FOUND");
    }
  });
});
