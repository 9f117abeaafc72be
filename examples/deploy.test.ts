import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { proxyTarget } from "@easel/conformance/target";
import { tokenOf } from "@easel/conformance/token";
import { faultsOf } from "../packages/server/src/canvases/publishing/easel-json.ts";
import { noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { PROXY, startExample, temporaryDirectory } from "../packages/server/test/support/service.ts";

const run = promisify(execFile);
const deploy = path.join(import.meta.dirname, "deploy.ts");

/**
 * Finds the block of shell commands that starts with `mkdir {folder}` on a page of the documentation, and runs it. The commands create the
 * folder and deploy it. Returns their standard output.
 */
async function runCommandsOf(page: string, folder: string, cwd: string, base: string): Promise<string> {
  const text = await readFile(path.join(import.meta.dirname, "..", page), "utf8");
  const commands = new RegExp(`\`\`\`sh\\n(mkdir ${folder}\\n[\\s\\S]*?)\`\`\``).exec(text)?.[1];
  const npm = `npm() { [ "$1 $2 $3" = "run deploy --" ] && '${process.execPath}' '${deploy}' "$4" '${base}'; }\n`;
  const all = npm + (commands ?? assert.fail(`${page} has no such commands`));
  return (await run("sh", ["-e", "-c", all], { cwd })).stdout;
}

test("the first canvas of the README, created as it says, in the browsers of two people", {
  skip: noBrowser,
}, async (t) => {
  const { base } = await startExample(t, "guestbook");
  const cwd = await temporaryDirectory(t);
  assert.equal(await runCommandsOf("README.md", "hello", cwd, base), `${base}/c/hello/\n`);

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

test("the example of docs/easel-json.md, created as it says", { skip: noBrowser }, async (t) => {
  const { base } = await startExample(t, "guestbook");
  const cwd = await temporaryDirectory(t);
  assert.equal(await runCommandsOf("docs/easel-json.md", "two-rooms", cwd, base), `${base}/c/rooms/\n`);
  const { page, faults } = await openAs(await openBrowser(t), `${base}/c/rooms/red`, "ada@example.com");
  await page.getByText("Room red, opened 1 times.").waitFor();
  await page.getByRole("link", { name: "blue" }).click();
  await page.getByText("Room blue, opened 1 times.").waitFor();
  assert.deepEqual(faults, []);
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

test("the first deploy turns on what easel.json names and no more; later ones say what is off", async (t) => {
  const { base, env } = await startExample(t, "guestbook");
  const folder = path.join(await temporaryDirectory(t), "press");
  await mkdir(folder);
  await writeFile(path.join(folder, "index.html"), "<title>Press</title>");
  const switches = () =>
    env.db.all`select backend_enabled, kv, files, ai, realtime, authoring from canvases where slug = 'press'`;
  const deployed = async (capabilities: string[]) => {
    await writeFile(path.join(folder, "easel.json"), JSON.stringify({ capabilities }));
    const { stderr } = await run(process.execPath, [deploy, folder, base]);
    return stderr.match(/`\w+` is off on this canvas/g) ?? [];
  };
  const first = { backend_enabled: 1, kv: 1, files: 0, ai: 0, realtime: 0, authoring: 1 };
  assert.deepEqual(await deployed(["identity", "kv", "authoring"]), []);
  assert.deepEqual(await switches(), [first]);
  assert.deepEqual(await deployed(["identity", "kv", "files", "ai"]), [
    "`files` is off on this canvas",
    "`ai` is off on this canvas",
  ]);
  assert.deepEqual(await switches(), [first]);
});

test("a page that needs nothing has no backend", async (t) => {
  const { base, env } = await startExample(t, "guestbook");
  const folder = path.join(await temporaryDirectory(t), "plain");
  await mkdir(folder);
  await writeFile(path.join(folder, "index.html"), "<title>Plain</title>");
  await writeFile(path.join(folder, "easel.json"), '{"capabilities":[]}');
  await run(process.execPath, [deploy, folder, base]);
  const [row] = await env.db.all<{ backend_enabled: number }>`
    select backend_enabled from canvases where slug = 'plain'`;
  assert.equal(row?.backend_enabled, 0);
});

test("a first deploy that fails leaves no canvas, and its slug is free", async (t) => {
  const { base, env } = await startExample(t, "guestbook", { SERVICE_QUOTA_BUNDLE_BYTES: "2000000" });
  const folder = path.join(await temporaryDirectory(t), "heavy");
  await mkdir(folder);
  await writeFile(path.join(folder, "index.html"), "<title>Heavy</title>");
  await writeFile(path.join(folder, "data.bin"), randomBytes(3_000_000));
  const canvases = () => env.db.all`select slug from canvases where deleted_at is null order by id`;
  const asItWas = await canvases();
  for (const _ of ["first", "second"])
    assert.match(await failed(folder, base), /refuses: The files of the owner/);
  assert.deepEqual(await canvases(), asItWas);
  await writeFile(path.join(folder, "data.bin"), "small");
  const { stdout } = await run(process.execPath, [deploy, folder, base]);
  assert.equal(stdout, `${base}/c/heavy/\n`);
});

test("a later deploy that fails leaves the canvas as it is", async (t) => {
  const { base, env } = await startExample(t, "guestbook", { SERVICE_QUOTA_BUNDLE_BYTES: "2000000" });
  const folder = path.join(await temporaryDirectory(t), "grown");
  await mkdir(folder);
  await writeFile(path.join(folder, "index.html"), "<title>Grown</title>");
  await run(process.execPath, [deploy, folder, base]);
  const live = () => env.db.all`select version_id from canvases where slug = 'grown' and deleted_at is null`;
  const asItWas = await live();
  assert.equal(asItWas.length, 1);
  await writeFile(path.join(folder, "data.bin"), randomBytes(3_000_000));
  await failed(folder, base);
  assert.deepEqual(await live(), asItWas);
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

/** Folders that cannot be deployed: their files, and the line that the program prints. */
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
    /^easel\.json: `titel` is unknown; did you mean `title`\?$/,
  ],
  [
    "misspelt keys further in",
    {
      "index.html": "",
      "easel.json": '{"policy":{"colections":{},"collections":{"a":{"preset":"personal","x":1}}}}',
    },
    /^easel\.json: `policy\.collections\.a\.x` is unknown\neasel\.json: `policy\.colections` is unknown; did you mean `collections`\?$/,
  ],
  [
    "a wrong type",
    { "index.html": "", "easel.json": '{"title":1}' },
    /^easel\.json: `title`: .*expected string/,
  ],
  [
    "an unknown capability",
    { "index.html": "", "easel.json": '{"capabilities":["sockets"]}' },
    /^easel\.json: `capabilities\.0`: .*"realtime"/,
  ],
  [
    "a slug of capitals",
    { "index.html": "", "easel.json": '{"slug":"Tea"}' },
    /^easel\.json: `slug`: must be 3 to 63 lower-case letters/,
  ],
  [
    "a slug of the service",
    { "index.html": "", "easel.json": '{"slug":"admin"}' },
    /^easel\.json: `slug`: is reserved/,
  ],
  [
    "an unknown preset",
    { "index.html": "", "easel.json": '{"policy":{"collections":{"ideas":{"preset":"all"}}}}' },
    /^easel\.json: `policy\.collections\.ideas\.preset`: /,
  ],
];

/** Runs a deploy that must fail. Returns the lines that it prints. */
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

test("a folder's easel.json sets title, spa and policy with every deploy", async (t) => {
  const { base, env } = await startExample(t, "guestbook");
  const folder = path.join(await temporaryDirectory(t), "ab");
  await mkdir(folder);
  await writeFile(path.join(folder, "index.html"), "<title>Ideas</title>");
  const found = async () => {
    const [row] = await env.db.all<{
      title: string;
      spa: number;
      runtime_policy: string;
      runtime_policy_revision: string;
    }>`
      select title, spa, runtime_policy, runtime_policy_revision from canvases where slug = 'ideas'`;
    return row ?? assert.fail("no canvas");
  };
  const deployed = async (settings: object) => {
    await writeFile(path.join(folder, "easel.json"), JSON.stringify({ slug: "ideas", ...settings }));
    const { stdout } = await run(process.execPath, [deploy, folder, base]);
    assert.equal(stdout, `${base}/c/ideas/\n`);
    return found();
  };

  const first = await deployed({
    title: "Our ideas",
    spa: true,
    policy: { collections: { ideas: { preset: "personal" } } },
  });
  assert.deepEqual([first.title, first.spa], ["Our ideas", 1]);
  assert.deepEqual(JSON.parse(first.runtime_policy), { collections: { ideas: { preset: "personal" } } });

  const second = await deployed({ title: "All ideas", policy: { defaultMode: "collaboration" } });
  assert.deepEqual([second.title, second.spa], ["All ideas", 1]);
  assert.notEqual(second.runtime_policy_revision, first.runtime_policy_revision);
  assert.deepEqual(JSON.parse(second.runtime_policy), {
    collections: { ideas: { preset: "personal" } },
    defaultMode: "collaboration",
  });

  assert.deepEqual(await deployed({ spa: false }), { ...second, spa: 0 });
});
