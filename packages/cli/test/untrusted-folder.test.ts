import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { fileScope, temporaryDirectory } from "../../server/test/support/service.ts";
import { addFiles, easel, folderWith, startSite } from "./support/easel.ts";

const scope = fileScope();
const site = await startSite(scope, { SERVICE_RATELIMIT_ENABLED: "false" });
const { env } = site;
const PAGE = "<!doctype html><title>Page</title>";

let project: string;
before(async () => {
  const folder = await folderWith(scope, "victim", { "index.html": PAGE });
  assert.equal((await easel(["deploy", folder], { env })).code, 0);
  project = await readFile(path.join(folder, ".easel/project.json"), "utf8");
});

/** Returns the files below a folder with their contents. */
async function contentsOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((each) => each.isFile()).map((each) => path.join(each.parentPath, each.name));
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [path.relative(folder, file), await readFile(file, "utf8")])),
  );
}

/** The files of a folder outside, to which the links of the hostile folder lead. */
const outsideFiles = () => ({ "project.json": project, ".gitignore": "mine", "easel.schema.json": "mine" });

/** The commands that read or write a path in `.easel`. */
const LINKED: [place: string, to: string, commands: string[][]][] = [
  [
    ".easel",
    ".",
    [
      ["deploy"],
      ["deploy", "--slug", "victim"],
      ["pull", "--force"],
      ["pull", ".", "-c", "victim", "--force"],
      ["versions"],
      ["rollback", "--yes"],
      ["delete", "--yes"],
      ["restore", "-c", "victim"],
      ["data", "export", "-c", "victim"],
      ["init", "--force"],
      ["dev"],
      ["doctor"],
    ],
  ],
  [
    ".easel/project.json",
    "project.json",
    [["deploy", "--slug", "victim"], ["pull", ".", "-c", "victim", "--force"], ["versions"], ["doctor"]],
  ],
  [
    ".easel/.gitignore",
    ".gitignore",
    [["init", "--force"], ["pull", ".", "-c", "victim", "--force"], ["dev"]],
  ],
  [".easel/easel.schema.json", "easel.schema.json", [["init", "--force"]]],
  [".easel/dev", ".", [["dev"]]],
  [".easel/dev/blobs/a", ".gitignore", [["dev"]]],
];

for (const [place, to, commands] of LINKED)
  for (const args of commands)
    test(`easel ${args.join(" ")} follows no link at ${place}`, async (t) => {
      const outside = await temporaryDirectory(t);
      await addFiles(outside, outsideFiles());
      const folder = await folderWith(t, "clone", { "index.html": PAGE });
      await mkdir(path.dirname(path.join(folder, place)), { recursive: true });
      await symlink(path.join(outside, to), path.join(folder, place));
      const { code, stdout, stderr } = await easel(args, {
        env,
        cwd: folder,
        signal: AbortSignal.timeout(20_000),
      });
      assert.deepEqual([code, await contentsOf(outside)], [1, outsideFiles()], stderr + stdout);
      assert.match(stderr + stdout, /symbolic link/);
    });

test("a link at .easel is not created through, when nothing is there yet", async (t) => {
  const outside = await temporaryDirectory(t);
  const folder = await folderWith(t, "dangling", { "index.html": PAGE });
  await symlink(path.join(outside, "new"), path.join(folder, ".easel"));
  for (const args of [["deploy"], ["init", "--force"], ["data", "export", "-c", "victim"]]) {
    const { code, stderr } = await easel(args, { env, cwd: folder });
    assert.deepEqual([code, await readdir(outside)], [1, []], stderr);
  }
});

/** Files that block or never end, and commands that read them. */
const BLOCKING: [name: string, make: (file: string) => Promise<unknown>][] = [
  ["a pipe", (file) => promisify(execFile)("mkfifo", [file])],
  ["a link to a device", (file) => symlink("/dev/zero", file)],
  ["a link to a file", (file) => symlink("/etc/passwd", file)],
  ["2 MiB", (file) => writeFile(file, " ".repeat(2 * 1024 * 1024))],
];
const READ: [file: string, commands: string[][]][] = [
  ["easel.json", [["deploy"], ["dev", "--throw-away"], ["types"], ["doctor"]]],
  [".easel/project.json", [["deploy"], ["versions"], ["doctor"]]],
];

for (const [name, make] of BLOCKING)
  for (const [file, commands] of READ)
    test(`${name} as ${file} ends a command at once, and none of it is printed`, async (t) => {
      const folder = await folderWith(t, "blocking", { "index.html": PAGE });
      await mkdir(path.join(folder, ".easel"));
      await make(path.join(folder, file));
      for (const args of commands) {
        const { code, stdout, stderr } = await easel(args, {
          env,
          cwd: folder,
          signal: AbortSignal.timeout(20_000),
        });
        assert.equal(code, 1, `${args.join(" ")}: ${stderr}`);
        assert.doesNotMatch(stdout + stderr, /root:|bug of easel/);
      }
    });

test("a pipe named index.html is no page", async (t) => {
  const folder = await folderWith(t, "pipe", { "other.txt": "" });
  await promisify(execFile)("mkfifo", [path.join(folder, "index.html")]);
  for (const args of [["deploy"], ["deploy", "--dry-run"], ["dev", "--throw-away"]]) {
    const { code, stderr } = await easel(args, { env, cwd: folder, signal: AbortSignal.timeout(20_000) });
    assert.equal(code, 1);
    assert.match(stderr, /no index\.html/);
  }
});

const TOKENS: [command: string[], variables: Record<string, string>][] = [
  [["list"], { EASEL_URL: "http://easel.example.com", EASEL_TOKEN: "easel_pat_x" }],
  [["list", "--url", "http://192.0.2.1"], { EASEL_TOKEN: "easel_pat_x" }],
  [["list", "--url", "http://127.0.0.1.example.com"], { EASEL_TOKEN: "easel_pat_x" }],
  [["list"], {}],
  [["whoami"], {}],
];

test("a token is not sent to an http address of another computer", async (t) => {
  const config = await temporaryDirectory(t);
  const url = "http://easel.example.com";
  const services = { [url]: { token: "easel_pat_x", email: "ada@example.com", expiresAt: null } };
  await writeFile(path.join(config, "credentials.json"), JSON.stringify({ last: url, services }));
  for (const [args, variables] of TOKENS) {
    const { code, stderr } = await easel(args, { env: { EASEL_CONFIG_DIR: config, ...variables } });
    assert.equal(code, 2, stderr);
    assert.match(stderr, /is not encrypted, so others could read your token/);
  }
  const { code, stderr } = await easel(["logout"], { env: { EASEL_CONFIG_DIR: config } });
  assert.equal(code, 0);
  assert.match(stderr, /not encrypted.* The token is removed here, but stays valid/);
});
