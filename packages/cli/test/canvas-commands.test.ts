import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { until } from "@easel/conformance/patience";
import { writePageViews } from "../../server/src/organisation/view-counts.ts";
import { fileScope } from "../../server/test/support/service.ts";
import { readProject, writeProject } from "../src/project/project.ts";
import { addFiles, easel, folderWith, type RunOptions, signedIn, startSite } from "./support/easel.ts";

const { base, env, service } = await startSite(fileScope(), { SERVICE_RATELIMIT_ENABLED: "false" });

const page = (text: string) => ({ "index.html": `<!doctype html><title>${text}</title>` });

/** Deploys a folder with this name as a canvas with the same slug. Returns the folder. */
async function deployed(t: TestContext, name: string): Promise<string> {
  const folder = await folderWith(t, name, page("one"));
  const { code, stderr } = await easel(["deploy", folder], { env });
  assert.equal(code, 0, stderr);
  return folder;
}

/** Runs `easel` and requires success. Returns the JSON that it prints. */
async function json(args: string[], options: { cwd?: string; env?: Record<string, string> } = {}) {
  const { code, stdout, stderr } = await easel([...args, "--json"], { env, ...options });
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

test("list prints the caller's canvases as a table, as slugs or as JSON", async (t) => {
  await deployed(t, "list-one");
  await deployed(t, "list-two");
  const table = await easel(["list", "--search", "list-"], { env });
  assert.match(
    table.stdout,
    /^SLUG +TITLE +ACCESS +STATUS +ROLE +CHANGED\nlist-two +list-two +private +published +owner +/,
  );
  assert.equal((await easel(["list", "-q", "--search", "list-"], { env })).stdout, "list-two\nlist-one\n");
  const [two, ...others] = await json(["list", "--search", "list-two"]);
  assert.deepEqual([two.slug, two.url, two.role, others], ["list-two", `${base}/c/list-two/`, "owner", []]);
  assert.match(two.updatedAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const titled = await easel(["list", "-q", "--search", "list-", "--list", "mine", "--sort", "title"], {
    env,
  });
  assert.equal(titled.stdout, "list-one\nlist-two\n");
  service.pageViews.add(
    await json(["list", "--search", "list-one"]).then(([one]) => one.id),
    "ada",
    Date.now(),
  );
  await writePageViews(service);
  const used = await easel(["list", "--search", "list-", "--sort", "used"], { env });
  assert.deepEqual(
    used.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/).slice(5).join("|"))
      .map((line) => line.replace(/now|\d{1,3} seconds? ago/, "a time")),
    ["LAST USED|PEOPLE IN 30 DAYS", "a time|1", "0"],
  );
  assert.equal((await json(["list", "--state", "published", "--search", "list-"])).length, 2);
  assert.deepEqual(await json(["list", "--state", "draft", "--search", "list-"]), []);
  const shared = await easel(["list", "--list", "shared", "--tag", "none"], { env });
  assert.deepEqual([shared.code, shared.stdout, shared.stderr], [0, "", "There is no such canvas.\n"]);
  for (const wrong of [
    ["--list", "all"],
    ["--state", "live"],
    ["--sort", "size"],
    ["--deleted", "--list", "mine"],
  ])
    assert.equal((await easel(["list", ...wrong], { env })).code, 2, wrong.join(" "));
  const stranger = await signedIn(base, service, "stranger@example.com");
  const none = await easel(["list"], { env: stranger });
  assert.deepEqual([none.code, none.stdout], [0, ""]);
});

test("a title of someone else cannot control the terminal", async (t) => {
  await deployed(t, "hostile-title");
  const title = "\u001b[31mred\u202e";
  await service.db.run`update canvases set title = ${title} where slug = 'hostile-title'`;
  const { stdout } = await easel(["list", "--search", "hostile-title"], { env });
  assert.match(stdout, /\\u001b\[31mred\\u202e/);
  assert.equal((await json(["list", "--search", "hostile-title"]))[0].title, title);
});

test("versions lists versions, and rollback publishes the previous one or one by id or the end of an id", async (t) => {
  const folder = await deployed(t, "versioned");
  await addFiles(folder, page("two"));
  await easel(["deploy", folder, "-m", "second"], { env });
  const list = await json(["versions"], { cwd: folder });
  const [two, one] = list;
  assert.deepEqual(
    list.map(({ current, message }: { current: boolean; message: string | null }) => [current, message]),
    [
      [true, "second"],
      [false, null],
    ],
  );
  const table = await easel(["versions"], { cwd: folder, env });
  assert.match(
    table.stdout,
    new RegExp(`\\n\\* +${two.id.slice(-12)} .*\\+0 ~1 -0 +second\\n +${one.id.slice(-12)} `),
  );

  const back = await easel(["rollback"], { cwd: folder, env });
  assert.deepEqual([back.code, back.stdout], [0, `${base}/c/versioned/\n`], back.stderr);
  const [target, replaced] = [one, two].map(({ id }) => id.slice(-12));
  assert.match(
    back.stderr,
    new RegExp(
      `^Publishing version ${target}, deployed by Owner .*, instead of version ${replaced}, deployed .* \\(“second”\\)\\.`,
    ),
  );
  assert.equal((await readProject(folder))?.version, one.id);
  assert.deepEqual(await service.db.all`select version_id from canvases where slug = 'versioned'`, [
    { version_id: one.id },
  ]);
  assert.equal((await easel(["rollback"], { cwd: folder, env })).code, 1);
  const forward = await json(["rollback", two.id.slice(-8)], { cwd: folder });
  assert.deepEqual([forward.version, forward.previous], [two.id, one.id]);
  assert.equal((await easel(["rollback", two.id], { cwd: folder, env })).code, 1);
  assert.equal((await easel(["rollback", two.id.slice(0, 4)], { cwd: folder, env })).code, 2);
  assert.equal((await easel(["rollback", "none"], { cwd: folder, env })).code, 4);

  // The person who rolled back may deploy again without a conflict.
  await easel(["rollback", one.id], { cwd: folder, env });
  await addFiles(folder, page("three"));
  const again = await easel(["deploy", folder], { env });
  assert.equal(again.code, 0, again.stderr);
});

/** Returns the request headers that authenticate the owner. */
const auth = () => ({ authorization: `Bearer ${env.EASEL_TOKEN}` });

test("rollback asks in a terminal, and “no” changes nothing", async (t) => {
  const folder = await deployed(t, "asked");
  await addFiles(folder, page("two"));
  await easel(["deploy", folder], { env });
  const [two, one] = await json(["versions"], { cwd: folder });
  const current = async () =>
    (await json(["versions"], { cwd: folder })).find((each: { current: boolean }) => each.current).id;
  assert.equal((await easel(["rollback"], { cwd: folder, env, answers: [false] })).code, 1);
  assert.equal(await current(), two.id);
  assert.equal((await easel(["rollback"], { cwd: folder, env, answers: [true] })).code, 0);
  assert.equal(await current(), one.id);
  assert.equal((await easel(["rollback", two.id, "--yes"], { cwd: folder, env, answers: [] })).code, 0);
});

test("the canvas of a command: --canvas, the folder's project, its easel.json", async (t) => {
  const folder = await deployed(t, "chosen");
  const open = (args: string[], cwd?: string) => easel(["open", ...args], { env, ...(cwd ? { cwd } : {}) });
  const url = `${base}/c/chosen/\n`;
  assert.equal((await open([], folder)).stdout, url);
  const id = String((await readProject(folder))?.canvasId);
  assert.equal((await open(["-c", "chosen"])).stdout, url);
  assert.equal((await open(["-c", id])).stdout, url);
  const named = await folderWith(t, "named", { ...page("named"), "easel.json": '{"slug":"chosen"}' });
  assert.equal((await open([], named)).code, 5);
  assert.equal((await easel(["open"], { env, cwd: named, answers: [true] })).stdout, url);
  assert.equal((await open([], named)).stdout, url);
  assert.equal((await open([], await folderWith(t, "unknown", page("x")))).code, 2);
  assert.equal((await open(["-c", "none"])).code, 4);
  assert.equal((await open(["-c", id.replace(/.$/, "x")])).code, 4);
});

test("open starts the browser only in a terminal, and only for an http or https URL", async (t) => {
  const folder = await deployed(t, "opened");
  const log = path.join(folder, "opened-address");
  const browser = path.join(folder, "browser");
  await writeFile(browser, `#!/bin/sh\necho "$1" >> ${log}\n`, { mode: 0o700 });
  const own = { ...env, BROWSER: browser };
  const url = `${base}/c/opened/\n`;
  // Only the last of these commands starts the browser.
  for (const [args, options] of [
    [["open"], {}],
    [["open", "--no-browser"], { answers: [] }],
    [["open", "--json"], { answers: [] }],
    [["open"], { answers: [] }],
  ] as const)
    assert.equal((await easel([...args], { cwd: folder, env: own, ...(options as RunOptions) })).code, 0);
  await until(
    "the browser is started",
    async () => existsSync(log) && readFileSync(log, "utf8").endsWith("\n"),
  );
  assert.equal(readFileSync(log, "utf8"), url);

  const server = createServer((_, response) => {
    response.setHeader("content-type", "application/json");
    const canvases = [
      { id: "c", slug: "evil", url: "file:///etc/passwd", version: "v" },
      { id: "d", slug: "colours", url: "https://easel.example/\u001b]0;title\u0007", version: "v" },
    ];
    response.end(JSON.stringify({ canvases, nextCursor: null }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const evil = { ...own, EASEL_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  assert.equal((await easel(["open", "-c", "evil"], { env: evil, answers: [] })).code, 1);
  const { stdout } = await easel(["open", "-c", "colours"], { env: evil });
  assert.equal(stdout, "https://easel.example/\\u001b]0;title\\u0007\n");
});

test("delete asks for the slug, and restore brings the canvas back", async (t) => {
  const folder = await deployed(t, "removable");
  const rows = () => service.db.all`select id from canvases where slug = 'removable' and deleted_at is null`;
  const refused = await easel(["delete"], { cwd: folder, env });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /--yes/);
  assert.equal((await easel(["delete"], { cwd: folder, env, answers: ["removabel"] })).code, 2);
  assert.equal((await rows()).length, 1);
  assert.equal((await easel(["delete"], { cwd: folder, env, answers: ["removable"] })).code, 0);
  assert.deepEqual(await rows(), []);
  const gone = await easel(["versions"], { cwd: folder, env });
  assert.deepEqual([gone.code, /easel restore/.test(gone.stderr)], [4, true]);

  const [deleted] = await json(["list", "--deleted"]);
  assert.equal(deleted.slug, "removable");
  assert.equal(Date.parse(deleted.purgeAt) - Date.parse(deleted.deletedAt), 30 * 24 * 60 * 60 * 1000);
  assert.match((await easel(["list", "--deleted"], { env })).stdout, /^SLUG .*\nremovable /);
  const restored = await easel(["restore"], { cwd: folder, env });
  assert.deepEqual([restored.code, restored.stdout], [0, `${base}/c/removable/\n`], restored.stderr);
  assert.equal((await easel(["restore", "removable"], { env })).code, 4);
  const named = await folderWith(t, "by-name", { "easel.json": '{"slug":"removable"}' });
  await easel(["delete", "--yes"], { cwd: named, env, answers: [true] });
  assert.equal((await easel(["restore"], { cwd: named, env })).code, 0);
  assert.equal((await json(["delete", "-c", "removable", "--yes"])).deleted, true);
  assert.equal((await json(["restore", "-c", "removable"])).slug, "removable");
});

test("a draft whose slug is taken is restored with --slug", async (t) => {
  const made = async (slug: string) => {
    const body = JSON.stringify({ title: slug, slug });
    const headers = { ...auth(), "content-type": "application/json" };
    return (
      (await (await fetch(`${base}/api/canvases`, { method: "POST", headers, body })).json()) as {
        id: string;
      }
    ).id;
  };
  const id = await made("drafted");
  await easel(["delete", "-c", "drafted", "--yes"], { env });
  await made("drafted");
  const refused = await easel(["restore", id], { env });
  assert.equal(refused.code, 5);
  assert.match(refused.stderr, /--slug/);
  const folder = await folderWith(t, "draft", {});
  await writeProject(folder, { url: base, canvasId: id, slug: "drafted", version: null });
  const unasked = await easel(["restore", "--slug", "drafted-2"], { cwd: folder, env });
  assert.deepEqual([unasked.code, /which you own and which is deleted/.test(unasked.stderr)], [5, true]);
  const asked = await easel(["restore", "--slug", "drafted-2"], { cwd: folder, env, answers: [true] });
  assert.equal(asked.stdout, `${base}/c/drafted-2/\n`, asked.stderr);
  assert.equal((await easel(["restore"], { env })).code, 2);
});

test("logs prints refused and failed calls: the newest, those since a time, as JSON lines, and new ones", async (t) => {
  const folder = await deployed(t, "logged");
  const id = String((await readProject(folder))?.canvasId);
  const add = (requestId: string, { at = Date.now(), status = 404 } = {}) =>
    service.callLog.add(
      { id, slug: "logged" },
      {
        at,
        method: "GET",
        route: "/kv/a",
        status,
        code: "NOT_FOUND",
        message: "\u001b",
        userId: null,
        requestId,
        pageError: null,
      },
      "insider",
    );
  assert.deepEqual(await easel(["logs"], { cwd: folder, env }), {
    code: 0,
    stdout: "",
    stderr: "No refused calls and no errors of pages.\n",
  });
  add("old", { at: Date.now() - 3 * 60 * 60 * 1000, status: 500 });
  add("new");
  const { stdout } = await easel(["logs"], { cwd: folder, env });
  assert.match(stdout, /^[\d: -]{19} {2}500 {2}GET \/kv\/a {2}NOT_FOUND anonymous\n.* {2}404 {2}.*\n$/);
  const since = await easel(["logs", "--since", "1h", "--json"], { cwd: folder, env });
  const [entry = "", ...more] = since.stdout.trimEnd().split("\n");
  const { requestId, at } = JSON.parse(entry);
  assert.deepEqual([requestId, Number.isNaN(Date.parse(at)), more], ["new", false, []]);
  assert.equal((await easel(["logs", "--since", "yesterday"], { cwd: folder, env })).code, 2);

  service.callLog.add(
    { id, slug: "logged" },
    {
      at: Date.now(),
      method: "POST",
      route: "/page-errors",
      status: 204,
      code: "SCRIPT_ERROR",
      message: "no cup\u001b[31m",
      userId: null,
      requestId: "error",
      pageError: { page: "/menu.html", source: null, line: 3, column: 14, count: 2, preview: true },
    },
    "page",
  );
  const errors = (await easel(["logs"], { cwd: folder, env })).stdout;
  assert.match(
    errors,
    / {2}page {2}\/menu\.html {2}no cup\\u001b\[31m \(\/menu\.html:3:14\) {2}SCRIPT_ERROR 2 times in a preview anonymous\n$/,
  );
  assert.ok(!errors.includes("\u001b"));

  const interruption = new AbortController();
  const run = easel(["logs", "-f", "--json", "--since", "1m"], {
    cwd: folder,
    env,
    signal: interruption.signal,
  });
  setImmediate(() => interruption.abort());
  assert.equal((await run).code, 130);
});

test("only the owner deletes; others are told so", async (t) => {
  const folder = await deployed(t, "shared-owner");
  await service.db.run`insert into canvas_people (canvas_id, email, role)
    select id, 'eve@example.com', 'editor' from canvases where slug = 'shared-owner'`;
  const eve = await signedIn(base, service, "eve@example.com");
  const { code, stderr } = await easel(["delete", "--yes"], { cwd: folder, env: eve });
  assert.deepEqual([code, /owner/.test(stderr)], [4, true]);
});
