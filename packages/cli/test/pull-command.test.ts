import assert from "node:assert/strict";
import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { zipOf } from "@easel/conformance/zip";
import { fileScope, temporaryDirectory } from "../../server/test/support/service.ts";
import { readProject } from "../src/project/project.ts";
import { addFiles, easel, folderWith, startSite } from "./support/easel.ts";

const { env } = await startSite(fileScope(), { SERVICE_RATELIMIT_ENABLED: "false" });

const FILES = { "index.html": "<!doctype html><title>One</title>", "assets/a b/ü.css": "a{}" };

/** Sends a request to the management API and returns the JSON of the response. */
async function api(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${env.EASEL_TOKEN}`, "content-type": "application/json" };
  const answer = await fetch(`${env.EASEL_URL}${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return (await answer.json()) as Record<string, unknown>;
}

async function deployed(
  t: TestContext,
  slug: string,
  files: Record<string, string> = FILES,
): Promise<string> {
  const folder = await folderWith(t, slug, files);
  const { code, stderr } = await easel(["deploy", folder], { env });
  assert.equal(code, 0, stderr);
  return folder;
}

const filesOf = async (folder: string) => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((each) => each.isFile()).map((each) => path.join(each.parentPath, each.name));
  return files
    .map((file) => path.relative(folder, file))
    .filter((file) => !file.startsWith(".easel"))
    .sort();
};

test("pull writes the published files to a new folder, and records their version for the next deploy", async (t) => {
  const origin = await deployed(t, "pulled");
  const cwd = await temporaryDirectory(t);
  const { code, stdout, stderr } = await easel(["pull", "copy", "-c", "pulled"], { env, cwd });
  const folder = path.join(cwd, "copy");
  assert.deepEqual([code, stdout], [0, `${folder}\n`], stderr);
  assert.deepEqual(await filesOf(folder), Object.keys(FILES).sort());
  for (const [name, content] of Object.entries(FILES))
    assert.equal(await readFile(path.join(folder, name), "utf8"), content);
  assert.equal((await readProject(folder))?.version, (await readProject(origin))?.version);

  await addFiles(folder, { "index.html": "<!doctype html><title>Two</title>" });
  assert.equal((await easel(["deploy"], { env, cwd: folder })).code, 0);
  const behind = await easel(["deploy"], { env, cwd: origin });
  assert.equal(behind.code, 5);
  const again = JSON.parse((await easel(["pull", "--force", "--json"], { env, cwd: origin })).stdout);
  assert.deepEqual([again.written, again.unchanged], [["index.html"], 1]);
  assert.equal((await easel(["deploy"], { env, cwd: origin })).code, 0);
});

test("an unpublished canvas: open says so, pull has its last version, and a deploy publishes it with its access", async (t) => {
  const folder = await deployed(t, "offline");
  const { canvasId, version } = (await readProject(folder)) ?? {};
  const { access } = await api("PUT", `/api/canvases/${canvasId}/sharing`, { access: "whole_org" });
  await api("POST", `/api/canvases/${canvasId}/unpublish`);
  assert.match((await easel(["open", "-c", "offline"], { env })).stderr, /is unpublished/);
  const cwd = await temporaryDirectory(t);
  assert.equal((await easel(["pull", "copy", "-c", "offline"], { env, cwd })).code, 0);
  assert.equal((await readProject(path.join(cwd, "copy")))?.version, version);
  for (const from of [folder, await folderWith(t, "elsewhere", FILES)]) {
    await api("POST", `/api/canvases/${canvasId}/unpublish`);
    const { code, stderr } = await easel(["deploy", from, "--slug", "offline"], { env });
    assert.equal(code, 0, stderr);
    const canvas = await api("GET", `/api/canvases/${canvasId}`);
    assert.deepEqual([canvas.publicationStatus, canvas.access], ["published", access]);
  }
});

test("an earlier version, and a page in a single folder", async (t) => {
  const folder = await deployed(t, "earlier", { "index.html": "one", "a/b.txt": "b" });
  const { version } = (await readProject(folder)) ?? {};
  await addFiles(folder, { "index.html": "two" });
  await easel(["deploy"], { env, cwd: folder });
  const cwd = await temporaryDirectory(t);
  await easel(["pull", "old", "-c", "earlier", "--at", String(version)], { env, cwd });
  assert.equal(await readFile(path.join(cwd, "old/index.html"), "utf8"), "one");
  assert.equal((await readProject(path.join(cwd, "old")))?.version, version);
});

test("nothing is overwritten without --force; other files stay", async (t) => {
  await deployed(t, "careful");
  const folder = await folderWith(t, "mine", {
    "index.html": "mine",
    "notes.txt": "notes",
    ".env": "SECRET=1",
  });
  const refused = await easel(["pull", ".", "-c", "careful"], { env, cwd: folder });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /1 file .*overwritten:\n {2}index\.html\n.*--force/s);
  assert.deepEqual(await filesOf(folder), [".env", "index.html", "notes.txt"]);
  assert.equal(await readProject(folder), undefined);
  assert.equal((await easel(["pull", ".", "-c", "careful", "--force"], { env, cwd: folder })).code, 0);
  assert.equal(await readFile(path.join(folder, "index.html"), "utf8"), FILES["index.html"]);
  assert.equal(await readFile(path.join(folder, "notes.txt"), "utf8"), "notes");
});

test("symbolic links are not written through, also with --force", async (t) => {
  await deployed(t, "linked");
  const outside = await temporaryDirectory(t);
  await addFiles(outside, { "index.html": "outside" });
  const folder = await folderWith(t, "links", {});
  await mkdir(folder, { recursive: true });
  await symlink(outside, path.join(folder, "assets"));
  const refused = await easel(["pull", ".", "-c", "linked", "--force"], { env, cwd: folder });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /symbolic link/);
  assert.deepEqual(await filesOf(outside), ["index.html"]);

  const other = await folderWith(t, "link-to-file", {});
  await mkdir(other, { recursive: true });
  await symlink(path.join(outside, "index.html"), path.join(other, "index.html"));
  assert.equal((await easel(["pull", ".", "-c", "linked"], { env, cwd: other })).code, 1);
  assert.equal((await easel(["pull", ".", "-c", "linked", "--force"], { env, cwd: other })).code, 0);
  assert.equal(await readFile(path.join(outside, "index.html"), "utf8"), "outside");
  assert.equal(await readFile(path.join(other, "index.html"), "utf8"), FILES["index.html"]);
});

test("another canvas is written to a folder with its slug, never to the folder of a different canvas", async (t) => {
  const [own] = [await deployed(t, "third"), await deployed(t, "elsewhere", { "index.html": "elsewhere" })];
  const { stdout } = await easel(["pull", "-c", "elsewhere"], { env, cwd: own });
  const folder = path.join(own, "elsewhere");
  assert.deepEqual([stdout, await filesOf(folder)], [`${folder}\n`, ["index.html"]]);
  assert.equal((await easel(["pull", "-c", "third"], { env, cwd: own })).stdout, `${own}\n`);
  const refused = await easel(["pull", ".", "-c", "elsewhere"], { env, cwd: own });
  assert.deepEqual([refused.code, (await readProject(own))?.slug], [1, "third"]);
  assert.match(refused.stderr, /folder of the canvas `third`/);
  assert.equal(await readFile(path.join(own, "index.html"), "utf8"), FILES["index.html"]);
});

/** Starts a service whose only canvas has this zip as its version. Returns its base URL. */
async function startHostileService(t: TestContext, zip: Buffer, slug = "evil"): Promise<string> {
  const server = createServer(({ url = "" }, response) => {
    if (url.endsWith("/bundle")) return void response.end(zip);
    const canvas = { id: "c", slug, url: "", version: "v" };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ canvases: [canvas], nextCursor: null }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const PATHS = [
  "../out.txt",
  "a/../../out.txt",
  "/out.txt",
  "C:/out.txt",
  "a\\out.txt",
  ".env",
  ".git/hooks/post-checkout",
  ".easel/project.json",
  "a/.npmrc",
  "a\u001bb",
  "git~1/config",
  "\u200c.git/config",
  ".git ./config",
  "EASEL~1/project.json",
  "aux.js",
  "a/b:c",
  "a./b",
  "Index.HTML",
];
for (const name of PATHS)
  test(`a hostile service cannot write ${JSON.stringify(name)}`, async (t) => {
    const url = await startHostileService(t, zipOf({ "index.html": "page", [name]: "evil" }));
    const cwd = await temporaryDirectory(t);
    await mkdir(path.join(cwd, "in"));
    const { code, stdout, stderr } = await easel(["pull", "in", "-c", "evil", "--force"], {
      env: { ...env, EASEL_URL: url },
      cwd,
    });
    assert.deepEqual([code, stdout], [1, ""], stderr);
    for (const text of ["bug of easel", "\u001b"]) assert.ok(!stderr.includes(text), stderr);
    assert.deepEqual(await readdir(cwd, { recursive: true }), ["in"]);
  });

test("a hostile service cannot choose the folder", async (t) => {
  const url = await startHostileService(t, zipOf({ "index.html": "page" }), "../evil");
  const cwd = path.join(await temporaryDirectory(t), "in");
  await mkdir(cwd);
  const { code } = await easel(["pull", "-c", "../evil"], { env: { ...env, EASEL_URL: url }, cwd });
  assert.deepEqual([code, await readdir(path.dirname(cwd))], [1, ["in"]]);
});

test("a damaged zip is an error, not a bug", async (t) => {
  const url = await startHostileService(t, Buffer.from("PK\u0003\u0004 no zip"));
  const cwd = await temporaryDirectory(t);
  const { code, stderr } = await easel(["pull", "in", "-c", "evil"], {
    env: { ...env, EASEL_URL: url },
    cwd,
  });
  assert.deepEqual([code, /damaged zip/.test(stderr), await readdir(cwd)], [1, true, []]);
});
