import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { noBrowser, openAs, openBrowser } from "../packages/server/test/browser.ts";
import { startService, temporaryDirectory } from "../packages/server/test/support.ts";

const run = promisify(execFile);
const deploy = path.join(import.meta.dirname, "deploy.ts");

/** The commands by which the README has a newcomer make and deploy a first canvas. */
async function firstCanvas(): Promise<string> {
  const readme = await readFile(path.join(import.meta.dirname, "../README.md"), "utf8");
  const commands = /```sh\n(mkdir hello\n[\s\S]*?)```/.exec(readme)?.[1];
  return commands ?? assert.fail("the README makes no canvas");
}

test("the README's first canvas, made as it says, in the browsers of two people", {
  skip: noBrowser,
}, async (t) => {
  const { base } = await startService(t);
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

test("who may enter, and what is switched off, stays so when a new version is deployed", async (t) => {
  const { base, env } = await startService(t);
  const folder = path.join(await temporaryDirectory(t), "My first (poll)!");
  await assert.rejects(run(process.execPath, [deploy, folder, base]), /no such file or directory/);
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

test("what was left out is printed beside the address", async (t) => {
  const { base } = await startService(t);
  const folder = path.join(await temporaryDirectory(t), "secrets");
  await mkdir(path.join(folder, ".git"), { recursive: true });
  for (const name of ["a.txt", ".env", ".git/config"]) await writeFile(path.join(folder, name), "secret");
  const { stdout, stderr } = await run(process.execPath, [deploy, folder, base]);
  assert.equal(stdout, `${base}/c/secrets/\n`);
  const [warning, ...leftOut] = stderr.trim().split("\n").toReversed();
  assert.deepEqual(leftOut.sort(), ["left out: .env (dot_file)", "left out: .git/ (dot_file)"]);
  assert.match(String(warning), /no `index.html`/);
  assert.equal((await fetch(`${base}/c/secrets/.env`)).ok, false);
});

test("a folder's easel.json names the canvas and says who may do what, time and again", async (t) => {
  const { base, env } = await startService(t);
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
