import assert from "node:assert/strict";
import { cp, readFile, rename } from "node:fs/promises";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { createToken, upsertUser } from "@easel/server";
import { fileScope, temporaryDirectory } from "../../server/test/support/service.ts";
import { nameOfFolder } from "../src/project/folder-name.ts";
import { addFiles, easel, folderWith, type RunOptions, startSite } from "./support/easel.ts";

const { base, env, service } = await startSite(fileScope(), { SERVICE_RATELIMIT_ENABLED: "false" });
const PAGE = "<!doctype html><title>Page</title>";
const HOSTILE = "<!doctype html><title>Hostile</title>";

const canvasOf = async (slug: string) =>
  (await service.db.get<{ id: string; version: string | null }>`
    select id, version_id as version from canvases where slug = ${slug} and deleted_at is null`) ??
  assert.fail(`no canvas ${slug}`);

/** Publishes a canvas from a folder of its owner. Returns the folder. */
async function published(t: TestContext, slug: string): Promise<string> {
  const folder = await folderWith(t, slug, { "index.html": PAGE });
  const { code, stderr } = await easel(["deploy", folder], { env });
  assert.equal(code, 0, stderr);
  return folder;
}

const projectOf = (folder: string) => readFile(path.join(folder, ".easel/project.json"), "utf8");

/** Ways in which a repository can name a canvas of the person who clones it: the name of the folder, and files in it. */
const CLAIMS: Record<string, (slug: string, id: string) => [name: string, files: Record<string, string>]> = {
  "its name": (slug) => [slug, {}],
  "the slug in easel.json": (slug) => ["clone", { "easel.json": JSON.stringify({ slug }) }],
  ".easel/project.json": (slug, canvasId) => [
    "clone",
    { ".easel/project.json": JSON.stringify({ url: base, canvasId, slug, version: null }) },
  ],
};

for (const [at, [claim, make]] of Object.entries(CLAIMS).entries()) {
  const slug = `victim-${at}`;

  /** Returns a clone that claims to be the folder of the canvas. */
  const clone = async (t: TestContext) => {
    const [name, files] = make(slug, (await canvasOf(slug)).id);
    return folderWith(t, name, { "index.html": HOSTILE, ...files });
  };

  test(`a clone that names a published canvas by ${claim} does not replace it unasked`, async (t) => {
    await published(t, slug);
    const before = await canvasOf(slug);
    const rows: [code: number, args: string[], options: RunOptions][] = [
      [5, ["deploy"], {}],
      [5, ["deploy", "--yes"], {}],
      [5, ["deploy", "--yes"], { answers: [] }],
      [1, ["deploy"], { answers: [false] }],
    ];
    for (const [expected, args, options] of rows) {
      const { code, stdout, stderr } = await easel(args, { env, cwd: await clone(t), ...options });
      assert.deepEqual([code, stdout], [expected, ""], stderr);
      if (expected === 5)
        assert.match(
          stderr,
          new RegExp(`belongs to \`${slug}\` \\(“.*”\\), which you own and which is published`),
        );
      assert.match(stderr, /Give --slug/);
      assert.deepEqual(await canvasOf(slug), before);
    }
  });

  test(`a yes of the person is remembered for the folder that names a canvas by ${claim}`, async (t) => {
    const folder = await clone(t);
    assert.equal(
      (await easel(["deploy"], { env, cwd: folder, answers: [true] })).code,
      claim.includes("project") ? 5 : 0,
    );
    const again = await easel(["deploy", "--force"], { env, cwd: folder });
    assert.equal(again.code, 0, again.stderr);
    await rename(folder, `${folder}-moved`);
    if (at > 0) {
      const moved = await easel(["deploy"], { env, cwd: `${folder}-moved` });
      assert.equal(moved.code, 5, moved.stderr);
    }
  });
}

test("no command acts on a canvas that only the folder names, without asking", async (t) => {
  await published(t, "asked-for");
  const { id } = await canvasOf("asked-for");
  const files = {
    ".easel/project.json": JSON.stringify({ url: base, canvasId: id, slug: "x", version: null }),
  };
  const cwd = await folderWith(t, "clone", { "index.html": HOSTILE, ...files });
  const rows = [
    ["rollback", "--yes"],
    ["delete", "--yes"],
    ["share", "--access", "public_link"],
    ["password", "--clear"],
    ["data", "rm", "--all", "--yes"],
    ["data", "export"],
    ["pull", "--force"],
    ["logs"],
  ];
  for (const args of rows) {
    const { code, stderr } = await easel(args, { env, cwd });
    assert.equal(code, 5, `${args.join(" ")}: ${stderr}`);
    assert.match(stderr, /belongs to `asked-for` .*\n.*--canvas asked-for/);
  }
  assert.equal((await easel(["versions"], { env, cwd, answers: [true] })).code, 0);
  assert.equal((await easel(["versions"], { env, cwd })).code, 0);
});

test("--slug is the answer, and means the canvas with this slug whatever the folder says", async (t) => {
  const [, own] = [await published(t, "precious"), await published(t, "harmless")];
  const before = await canvasOf("precious");
  const project = { url: base, canvasId: before.id, slug: "harmless", version: before.version };
  const cwd = await folderWith(t, "clone", {
    "index.html": HOSTILE,
    ".easel/project.json": JSON.stringify(project),
  });
  const deployed = await easel(["deploy", "--slug", "harmless", "--json"], { env, cwd });
  assert.equal(JSON.parse(deployed.stdout).id, (await canvasOf("harmless")).id, deployed.stderr);
  assert.deepEqual(await canvasOf("precious"), before);

  // A later change of the repository does not lead elsewhere either.
  await addFiles(cwd, { ".easel/project.json": JSON.stringify({ ...project, slug: "clone" }) });
  const later = await easel(["deploy", "--json"], { env, cwd });
  assert.equal(JSON.parse(later.stdout).slug, "harmless");
  await addFiles(cwd, { "easel.json": JSON.stringify({ slug: "precious" }) });
  assert.equal((await easel(["deploy"], { env, cwd })).code, 5);
  assert.deepEqual(await canvasOf("precious"), before);
  assert.ok(own);
});

test("a copy of a folder is not the folder; a pull by name makes one", async (t) => {
  const folder = await published(t, "copied");
  const copy = path.join(await temporaryDirectory(t), "copy");
  await cp(folder, copy, { recursive: true });
  assert.equal((await easel(["deploy"], { env, cwd: copy })).code, 5);
  const pulled = path.join(await temporaryDirectory(t), "pulled");
  assert.equal((await easel(["pull", pulled, "-c", "copied"], { env, cwd: path.dirname(pulled) })).code, 0);
  const { code, stderr } = await easel(["deploy"], { env, cwd: pulled });
  assert.equal(code, 0, stderr);
});

test("a token for one canvas is the answer for this canvas, as in CI", async (t) => {
  await published(t, "of-token");
  await published(t, "not-of-token");
  const user = (await upsertUser(service.db, "owner@example.com", null, service.clock())) ?? assert.fail();
  const { id } = await canvasOf("of-token");
  const scope = { name: "CI", expiresAt: null, scope: "deploy" as const };
  const one = await createToken({ user, credential: null }, { ...scope, canvasId: id }, service);
  const all = await createToken({ user, credential: null }, scope, service);
  const rows: [code: number, slug: string, token: string, args: string[]][] = [
    [0, "of-token", one.token, []],
    [5, "of-token", all.token, []],
    [0, "of-token", all.token, ["--slug", "of-token"]],
    [4, "not-of-token", one.token, []],
  ];
  for (const [expected, slug, token, args] of rows) {
    const folder = await folderWith(t, "dist", {
      "index.html": PAGE,
      "easel.json": JSON.stringify({ slug }),
    });
    const { code, stderr } = await easel(["deploy", ...args], {
      env: { ...env, EASEL_TOKEN: token },
      cwd: folder,
    });
    assert.equal(code, expected, `${slug}: ${stderr}`);
  }
});

test("a folder whose version is null expects that nothing is published", async (t) => {
  const folder = await published(t, "null-version");
  const before = await canvasOf("null-version");
  const project = JSON.parse(await projectOf(folder));
  await addFiles(folder, {
    "new.txt": "",
    ".easel/project.json": JSON.stringify({ ...project, version: null }),
  });
  const { code, stderr } = await easel(["deploy"], { env, cwd: folder });
  assert.equal(code, 5, stderr);
  assert.deepEqual(await canvasOf("null-version"), before);
});

test("a deploy that ends before its finish leaves the version that it began with", async (t) => {
  await published(t, "unfinished");
  const { version } = await canvasOf("unfinished");
  const folder = await folderWith(t, "elsewhere", { "index.html": HOSTILE, "big.txt": "x".repeat(100_000) });
  const stop = new AbortController();
  const run = await easel(["deploy", "--slug", "unfinished"], {
    env,
    cwd: folder,
    signal: stop.signal,
    onStderr: () => stop.abort(new Error("Interrupted.")),
  });
  assert.equal(run.code, 130);
  const project = JSON.parse(await projectOf(folder));
  assert.deepEqual([project.version, typeof project.staged?.id], [version, "string"]);
  assert.equal((await easel(["deploy"], { env, cwd: folder })).code, 0);
});

test("the builds of two projects are two canvases", async (t) => {
  for (const project of ["first-poll", "second-poll"]) {
    const folder = await folderWith(t, project, { "dist/index.html": PAGE });
    const { code, stdout, stderr } = await easel(["deploy", "dist"], { env, cwd: folder });
    assert.deepEqual([code, stdout], [0, `${base}/c/${project}/\n`], stderr);
  }
});

test("a copied easel.json takes over neither canvas nor title; --force replaces the canvas", async (t) => {
  const settings = JSON.stringify({ slug: "taken-over", title: "Copied" });
  const original = await folderWith(t, "original", {
    "index.html": PAGE,
    "easel.json": '{"slug":"taken-over"}',
  });
  assert.equal((await easel(["deploy"], { env, cwd: original })).code, 0);
  const before = await canvasOf("taken-over");
  const copy = await folderWith(t, "copy", { "index.html": HOSTILE, "easel.json": settings });
  const refused = await easel(["deploy"], { env, cwd: copy });
  assert.equal(refused.code, 5, refused.stderr);
  assert.match(refused.stderr, /Give --slug taken-over or --force/);
  assert.deepEqual(await canvasOf("taken-over"), before);
  const forced = await easel(["deploy", "--force", "--json"], { env, cwd: copy });
  assert.equal(JSON.parse(forced.stdout).id, before.id, forced.stderr);
  assert.equal((await easel(["deploy"], { env, cwd: copy })).code, 0);
});

/** Folders without a slug in `easel.json`: the path, the title of the page, and the slug and title of the app. */
const NAMES: [folder: string, page: string, slug: string | undefined, title: string][] = [
  ["lunch", "Other", "lunch", "lunch"],
  ["lunch/dist", "Other", "lunch", "lunch"],
  ["lunch/site/Public", "Other", "lunch", "lunch"],
  ["ab", "Who eats &amp; where?", "who-eats-where", "ab"],
  ["ab", "", "ab-app", "ab"],
  ["docs", "", "docs-app", "docs"],
];

for (const [name, page, slug, title] of NAMES)
  test(`the folder ${name} with the page “${page}” is ${slug}`, async (t) => {
    const folder = await folderWith(t, "root", { [`${name}/index.html`]: `<title>${page}</title>` });
    assert.deepEqual(await nameOfFolder(path.join(folder, name)), { slug, title });
  });
