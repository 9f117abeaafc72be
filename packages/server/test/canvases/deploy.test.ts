import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { before, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import type { LeftOut } from "@easel/protocol/types";
import { onEngines } from "../support/engines.ts";
import { publish, upload, visit } from "../support/publish.ts";
import { forge, zip } from "../support/zip.ts";

/** Valid bundles of several kinds, each with a path and the content that is served there. */
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
  ["a name in UTF-8 without its flag", forge([{ name: "café.txt", flags: 0 }]), "caf%C3%A9.txt", "content"],
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

  /** Files that a bundle has besides `index.html`. Each is served, or is listed in `leftOut` with this entry. */
  const LEFT_OUT: [path: string, named: LeftOut | "served", at?: string][] = [
    [".env", { path: ".env", reason: "dot_file" }],
    [".ENV", { path: ".ENV", reason: "dot_file" }],
    [".git/config", { path: ".git/", reason: "dot_file" }],
    [".git/refs/heads/main", { path: ".git/", reason: "dot_file" }],
    ["api/.env.production", { path: "api/.env.production", reason: "dot_file" }],
    ["a/.b/c/d.txt", { path: "a/.b/", reason: "dot_file" }],
    ["...", { path: "...", reason: "dot_file" }],
    ["a/.well-known/security.txt", { path: "a/.well-known/", reason: "dot_file" }],
    [".Well-Known/security.txt", { path: ".Well-Known/", reason: "dot_file" }],
    [".well-known/.env", { path: ".well-known/.env", reason: "dot_file" }],
    [".well-known/security.txt", "served"],
    ["a.env", "served"],
    ["env./x", "served"],
    ["__MACOSX/._index.html", { path: "__MACOSX/", reason: "litter" }],
    ["__macosx/x", { path: "__macosx/", reason: "litter" }],
    [".DS_Store", { path: ".DS_Store", reason: "litter" }],
    ["a/.ds_store", { path: "a/.ds_store", reason: "litter" }],
    ["a/thumbs.db", { path: "a/thumbs.db", reason: "litter" }],
    ["desktop.ini", { path: "desktop.ini", reason: "litter" }],
  ];

  for (const [around, name] of [
    ["", "at the top"],
    ["site/", "in a folder around everything"],
  ]) {
    it(`dot files and litter ${name} are left out and listed; the rest is served`, async () => {
      const files = Object.fromEntries(LEFT_OUT.map(([path]) => [`${around}${path}`, "content"]));
      const bytes = await zip({ ...files, [`${around}index.html`]: "home" });
      const { json, status, text } = await upload(target, site.people.owner, site.id, bytes);
      assert.equal(status, 200, text);
      const litter = (path: string) => (around === "" ? path : `${around}${path}`);
      const expected = LEFT_OUT.flatMap(([, named]) =>
        named === "served"
          ? []
          : [named.reason === "litter" ? { ...named, path: litter(named.path) } : named],
      );
      const sorted = (list: LeftOut[]) => [...new Set(list.map((each) => JSON.stringify(each)))].sort();
      assert.deepEqual(sorted(json.leftOut as unknown as LeftOut[]), sorted(expected));
      assert.deepEqual(json.warnings, []);
      for (const [path, named] of [...LEFT_OUT, ["index.html", "served"] as const]) {
        const answer = await visit(target, site.slug, site.people.owner, path);
        assert.equal(answer.status, named === "served" ? 200 : 404, path);
      }
    });
  }

  it("files left out beside the only folder do not keep that folder in the URLs", async () => {
    const bytes = await zip({ ".git/config": "x", ".env": "x", "site/index.html": "home" });
    assert.equal((await upload(target, site.people.owner, site.id, bytes)).status, 200);
    assert.equal((await visit(target, site.slug, site.people.owner)).text, "home");
  });

  it("100 paths are listed, with a warning about the others; a missing start page is a warning", async () => {
    const files = Object.fromEntries(Array.from({ length: 112 }, (_, index) => [`.${index}`, ""]));
    const { json } = await upload(target, site.people.owner, site.id, await zip({ ...files, "a.txt": "" }));
    assert.equal((json.leftOut as unknown as LeftOut[]).length, 100);
    const [start, more, ...others] = json.warnings as unknown as string[];
    assert.match(String(start), /no `index.html`/);
    assert.match(String(more), /^12 more /);
    assert.deepEqual(others, []);
  });

  it("dot files and proofs to certificate authorities of an older version are not served", async () => {
    const version = await publish(target, site, { "index.html": "home", ".well-known/a.txt": "known" });
    for (const path of [".env", "a/.git/config", ".git/index.html", ".well-known/acme-challenge/token"]) {
      await env.db.run`
        insert into version_files (version_id, path, encoding, mime, blob_key, size)
        select version_id, ${path}, encoding, mime, blob_key, size from version_files
        where version_id = ${version} and path = 'index.html'`;
    }
    for (const [path, status] of [
      [".env", 404],
      ["%2eenv", 404],
      ["a/.git/config", 404],
      [".git/", 404],
      [".git", 404],
      ["", 200],
      [".well-known/a.txt", 200],
      [".well-known/acme-challenge/token", 404],
      [".well-known/%61cme-challenge/token", 404],
    ] as const) {
      assert.equal((await visit(target, site.slug, site.people.owner, path)).status, status, path);
    }
    const { json } = await manage(target, site.people.owner, "GET", `/api/canvases/${site.id}`);
    assert.equal(json.version, version);
  });

  it("a deploy replaces all files and becomes the current version", async () => {
    const first = await publish(target, site, { "index.html": "one", "old.txt": "old" });
    const second = await publish(target, site, { "index.html": "two" });
    assert.notEqual(second, first);
    assert.equal((await visit(target, site.slug, site.people.viewer)).text, "two");
    assert.equal((await visit(target, site.slug, site.people.viewer, "old.txt")).status, 404);
    const read = await manage(target, site.people.viewer, "GET", `/api/canvases/${site.id}`);
    assert.deepEqual([read.json.version, read.json.publicationStatus], [second, "published"]);
  });

  it("concurrent deploys: both versions are stored, one is current", async () => {
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
    it(`${name} deploys: ${status} ${code} for any bundle`, async () => {
      const asItWas = await publish(target, site, { "index.html": "home" });
      for (const bytes of [await zip({ "index.html": "mine" }), Buffer.from("garbage")]) {
        refused(await upload(target, who(site), site.id, bytes), status, code);
      }
      const read = await manage(target, site.people.owner, "GET", `/api/canvases/${site.id}`);
      assert.equal(read.json.version, asItWas);
    });
  }

  it("an editor deploys, and is the version's createdBy", async () => {
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

  it("an anonymous caller deploys: 401", async () => {
    unauthenticated(await upload(target, { ...site.people.owner, headers: [] }, site.id, Buffer.from("x")));
  });

  it("a disabled canvas: 409 DISABLED for owner and editors, with the reason at the end", async () => {
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
