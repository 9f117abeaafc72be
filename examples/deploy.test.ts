import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { proxyTarget } from "@easel/conformance/target";
import { tokenOf } from "@easel/conformance/token";
import { faultsOf } from "../packages/server/src/management/manifest.ts";
import { noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { PROXY, startExample, temporaryDirectory } from "../packages/server/test/support/service.ts";

const run = promisify(execFile);
const deploy = path.join(import.meta.dirname, "deploy.ts");

/** Returns the commands of the README that create and deploy a first canvas. */
async function firstCanvas(): Promise<string> {
  const readme = await readFile(path.join(import.meta.dirname, "../README.md"), "utf8");
  const commands = /```sh\n(mkdir hello\n[\s\S]*?)```/.exec(readme)?.[1];
  return commands ?? assert.fail("the README has no such commands");
}

test("the first canvas of the README, created as it says, in the browsers of two people", {
  skip: noBrowser,
}, async (t) => {
  const { base } = await startExample(t, "guestbook");
  const cwd = await temporaryDirectory(t);
  const npm = `npm() { [ "$1 $2 $3" = "run deploy --" ] && '${process.execPath}' '${deploy}' "$4" '${base}'; }\n`;
  const { stdout } = await run("sh", ["-e", "-c", npm + (await firstCanvas())], { cwd });
  assert.equal(stdout, `${base}/c/hello/\n`);

  const browser = await openBrowser(t);
  const ada = await openAs(browser, `${base}/c/hello/`, "ada@example.com");
  await ada.page.getByText("Hello Ada, this is visit 1.").waitFor();
  await ada.page.getByText("Here so far: Ada", { exact: true }).waitFor();
  const ben = await openAs(browser, `${base}/c/hello/`, "ben@example.com");
  await ben.page.getByText("Hello Ben, this is visit 1.").waitFor();
  for (const { page } of [ada, ben]) await page.getByText("Here so far: Ada, Ben", { exact: true }).waitFor();
  await ada.page.reload();
  await ada.page.getByText("Hello Ada, this is visit 2.").waitFor();
  await ada.page.getByText("Here so far: Ada, Ben", { exact: true }).waitFor();
  assert.deepEqual([...ada.faults, ...ben.faults], []);

  const folder = path.join(cwd, "hello");
  await writeFile(path.join(folder, "index.html"), "<title>Second</title><h1>Second version</h1>");
  await run(process.execPath, [deploy, folder, base]);
  await ada.page.reload();
  await ada.page.getByText("Second version").waitFor();
});

test("a deploy of a new version keeps access and switches", async (t) => {
  const { base, env } = await startExample(t, "guestbook");
  const folder = path.join(await temporaryDirectory(t), "My first (poll)!");
  await mkdir(folder);
  await writeFile(path.join(folder, "index.html"), "<title>Poll</title>");
  const made = () =>
    env.db.all<{ slug: string; access: string; backend_enabled: number }>`
      select slug, access, backend_enabled from canvases where slug like 'my%'`;
  assert.deepEqual(await made(), []);

  await run(process.execPath, [deploy, folder, base]);
  assert.deepEqual(await made(), [{ slug: "my-first-poll", access: "whole_org", backend_enabled: 1 }]);
  await env.db.run`update canvases set access = 'private', backend_enabled = 0 where slug = 'my-first-poll'`;
  await run(process.execPath, [deploy, folder, base]);
  assert.deepEqual(await made(), [{ slug: "my-first-poll", access: "private", backend_enabled: 0 }]);
});

test("the first deploy switches the capabilities of easel.json", async (t) => {
  const { base, env } = await startExample(t, "guestbook");
  const folder = path.join(await temporaryDirectory(t), "press");
  await mkdir(folder);
  await writeFile(path.join(folder, "index.html"), "<title>Press</title>");
  const switches = () =>
    env.db.all`select backend_enabled, kv, files, authoring from canvases where slug = 'press'`;
  for (const authoring of [true, false]) {
    const manifest = { capabilities: { authoring, files: false } };
    await writeFile(path.join(folder, "easel.json"), JSON.stringify(manifest));
    await run(process.execPath, [deploy, folder, base]);
    assert.deepEqual(await switches(), [{ backend_enabled: 1, kv: 1, files: 0, authoring: 1 }]);
  }
});

test("files that are left out are printed beside the URL", async (t) => {
  const { base } = await startExample(t, "guestbook");
  const folder = path.join(await temporaryDirectory(t), "Geheime Übung");
  await mkdir(path.join(folder, ".git"), { recursive: true });
  for (const name of ["index.html", ".env", ".git/config", ".DS_Store"])
    await writeFile(path.join(folder, name), "secret");
  const { stdout, stderr } = await run(process.execPath, [deploy, folder, base]);
  assert.equal(stdout, `${base}/c/geheime-uebung/\n`);
  assert.deepEqual(stderr.trim().split("\n").sort(), [
    "left out: .DS_Store (litter)",
    "left out: .env (dot_file)",
    "left out: .git/ (dot_file)",
  ]);
});

/** Folders that cannot be deployed: their files, and the line printed. */
const BROKEN: [name: string, files: Record<string, string> | null, line: RegExp][] = [
  ["a missing folder", null, /^There is no folder \S+\.$/],
  ["an empty folder", {}, /^There is no index\.html in /],
  ["no start page", { "a.html": "" }, /^There is no index\.html in /],
  ["dot files alone", { ".env": "" }, /^There is no index\.html in /],
  ["a path that cannot be served", { "index.html": "", "a\tb": "" }, /^The path .* characters/],
  ["invalid JSON", { "index.html": "", "easel.json": "{" }, /^easel\.json: not valid JSON: /],
  ["not an object", { "index.html": "", "easel.json": "[]" }, /^easel\.json: .*expected object/],
  [
    "a misspelt key",
    { "index.html": "", "easel.json": '{"titel":"A"}' },
    /^easel\.json: `titel` is unknown$/,
  ],
  [
    "misspelt keys further in",
    {
      "index.html": "",
      "easel.json": '{"policy":{"colections":{},"collections":{"a":{"preset":"personal","x":1}}}}',
    },
    /^easel\.json: `policy\.collections\.a\.x` is unknown\neasel\.json: `policy\.colections` is unknown$/,
  ],
  [
    "a wrong type",
    { "index.html": "", "easel.json": '{"title":1}' },
    /^easel\.json: `title`: .*expected string/,
  ],
  [
    "a capability that has no switch",
    { "index.html": "", "easel.json": '{"capabilities":{"identity":true}}' },
    /^easel\.json: `capabilities\.identity` is unknown$/,
  ],
  [
    "an unknown preset",
    { "index.html": "", "easel.json": '{"policy":{"collections":{"ideas":{"preset":"all"}}}}' },
    /^easel\.json: `policy\.collections\.ideas\.preset`: /,
  ],
];

/** Runs a deploy that must fail; returns the lines printed. */
async function failed(...args: string[]): Promise<string> {
  const error = (await run(process.execPath, [deploy, ...args]).catch((error) => error)) as {
    code: number;
    stdout: string;
    stderr: string;
  };
  assert.deepEqual([error.code, error.stdout], [1, ""]);
  assert.doesNotMatch(error.stderr, /\n\s+at /);
  return error.stderr.trim();
}

test("a folder that cannot be deployed is reported in a line, and no canvas is created", async (t) => {
  const { base, env } = await startExample(t, "guestbook");
  const directory = await temporaryDirectory(t);
  const canvases = () => env.db.all`select id from canvases order by id`;
  const asItWas = await canvases();
  for (const [index, [name, files, line]] of BROKEN.entries()) {
    const folder = path.join(directory, `broken-${index}`);
    if (files !== null) await mkdir(folder);
    for (const [file, content] of Object.entries(files ?? {}))
      await writeFile(path.join(folder, file), content);
    assert.match(await failed(folder, base), line, name);
  }
  const file = path.join(directory, "index.html");
  await writeFile(file, "");
  assert.match(await failed(file, base), /index\.html is not a folder\.$/);
  assert.match(await failed(), /^The folder is missing: /);
  assert.match(await failed(directory, "localhost:3000"), /is not the URL of a service/);
  const short = path.join(directory, "ab");
  await mkdir(short);
  assert.match(await failed(short, base), /cannot be used as a slug/);
  assert.deepEqual(await canvases(), asItWas);
});

test("a service that is missing, needs a sign-in or refuses is reported in a line", async (t) => {
  const { base } = await startExample(t, "guestbook", { SERVICE_QUOTA_CANVASES: "0" });
  const folder = path.join(await temporaryDirectory(t), "hello");
  await mkdir(folder);
  await writeFile(path.join(folder, "index.html"), "<title>Hello</title>");
  assert.match(await failed(folder, base), /^http\S+ refuses: The owner has as many canvases/);
  assert.match(
    await failed(folder, "http://127.0.0.1:9"),
    /^No service responds at http:\/\/127\.0\.0\.1:9\. Start one/,
  );

  const guarded = await startExample(t, "guestbook", PROXY);
  const target = proxyTarget(guarded.base, "path");
  const { token } = await tokenOf(target, await target.signIn("ada@example.com"));
  assert.match(await failed(folder, guarded.base), /^You are not signed in at \S+\. Set EASEL_TOKEN/);
  const { stdout } = await run(process.execPath, [deploy, folder, guarded.base], {
    env: { ...process.env, EASEL_TOKEN: token },
  });
  assert.equal(stdout, `${guarded.base}/c/hello/\n`);
});

test("the easel.json of every example is valid", async () => {
  const folders = (await readdir(import.meta.dirname, { withFileTypes: true })).filter((each) =>
    each.isDirectory(),
  );
  assert.ok(folders.length >= 5);
  for (const { name } of folders) {
    const text = await readFile(path.join(import.meta.dirname, name, "easel.json"), "utf8");
    assert.deepEqual(faultsOf(text), [], name);
  }
});

test("a folder's easel.json sets title and policy with every deploy", async (t) => {
  const { base, env } = await startExample(t, "guestbook");
  const folder = path.join(await temporaryDirectory(t), "ideas");
  await mkdir(folder);
  await writeFile(path.join(folder, "index.html"), "<title>Ideas</title>");
  const found = () =>
    env.db.get<{ title: string; runtime_policy: string; runtime_policy_revision: string }>`
      select title, runtime_policy, runtime_policy_revision from canvases where slug = 'ideas'`;
  const manifest = (policy: object) =>
    writeFile(path.join(folder, "easel.json"), JSON.stringify({ title: "Our ideas", policy }));

  await manifest({ collections: { ideas: { preset: "personal" } } });
  await run(process.execPath, [deploy, folder, base]);
  const first = await found();
  assert.equal(first?.title, "Our ideas");
  assert.deepEqual(JSON.parse(first.runtime_policy), { collections: { ideas: { preset: "personal" } } });

  await manifest({ defaultMode: "collaboration" });
  await run(process.execPath, [deploy, folder, base]);
  const second = await found();
  assert.notEqual(second?.runtime_policy_revision, first.runtime_policy_revision);
  assert.deepEqual(JSON.parse(second?.runtime_policy ?? ""), {
    collections: { ideas: { preset: "personal" } },
    defaultMode: "collaboration",
  });
});
