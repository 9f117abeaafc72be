import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { before, test } from "node:test";
import type { Env } from "@easel/server";
import { atEnd, fileScope, startService, temporaryDirectory } from "../../server/test/support/service.ts";
import { fill, smallDisk } from "../../server/test/support/small-disk.ts";
import { addFiles, easel, folderWith, signedIn } from "./support/easel.ts";

const BIN = path.join(import.meta.dirname, "../bin/easel.js");
/** The user and group `nobody`. Tests run as root, for whom every file is readable. */
const NOBODY = 65_534;

const scope = fileScope();
let base: string;
let service: Env;
let env: Record<string, string>;
before(async () => {
  ({ base, env: service } = await startService(scope));
  env = {
    ...(await signedIn(base, service)),
    PATH: process.env.PATH ?? "",
    HOME: await temporaryDirectory(scope),
  };
});

/** Starts `easel` in a child process. */
const start = (args: string[], options: object = {}): ChildProcess =>
  spawn(process.execPath, [BIN, ...args], { env, stdio: ["ignore", "pipe", "pipe"], ...options });

async function ended(child: ChildProcess): Promise<{ code: number; stderr: string }> {
  const [stderr, [code]] = await Promise.all([
    text(child.stderr as NodeJS.ReadableStream),
    once(child, "close"),
  ]);
  return { code, stderr };
}

const PAGE = "<!doctype html><title>Page</title>";

test("output into a closed pipe ends quietly", async () => {
  const child = start(["help"]);
  child.stdout?.destroy();
  assert.deepEqual(await ended(child), { code: 0, stderr: "" });
});

test("Ctrl-C during the first deploy: exit code 130, and no canvas", async (t) => {
  const files = Array.from({ length: 300 }, (_, at): [string, string] => [`${at}.txt`, `${at}`]);
  const folder = await folderWith(t, "interrupted-process", {
    "index.html": PAGE,
    ...Object.fromEntries(files),
  });
  const child = start(["deploy", folder]);
  child.stderr?.once("data", () => child.kill("SIGINT"));
  const { code, stderr } = await ended(child);
  assert.equal(code, 130, stderr);
  const rows = await service.db.all`
    select slug from canvases where slug = 'interrupted-process' and deleted_at is null`;
  assert.deepEqual(rows, []);
});

test("a file that cannot be read is named, and nothing is deployed", {
  skip: process.getuid?.() !== 0,
}, async (t) => {
  const folder = await folderWith(t, "unreadable", { "index.html": PAGE, "secret.txt": "" });
  for (const place of [folder, path.dirname(folder)]) await chmod(place, 0o755);
  await chmod(path.join(folder, "secret.txt"), 0o600);
  const { code, stderr } = await ended(start(["deploy", folder], { uid: NOBODY, gid: NOBODY }));
  assert.equal(code, 1, stderr);
  assert.match(stderr, /cannot be read: secret\.txt/);
});

test("a folder with more files than a canvas may have", async (t) => {
  const folder = await folderWith(t, "many", { "index.html": PAGE });
  const names = Array.from({ length: 5_001 }, (_, at) => path.join(folder, `${at}.txt`));
  await Promise.all(names.map((name) => writeFile(name, "")));
  const { code, stderr } = await easel(["deploy", folder], { env });
  assert.equal(code, 1);
  assert.match(stderr, /more than 5000 files/);
});

test("a full disk: the deploy is published, with a warning that it is not remembered", async (t) => {
  const disk = await smallDisk(t, 1024 * 1024);
  if (disk === null) return t.skip("no file system can be mounted");
  const folder = path.join(disk, "full-disk");
  await addFiles(folder, { "index.html": PAGE });
  await fill(disk, 0);
  const { code, stdout, stderr } = await easel(["deploy", folder], { env });
  assert.deepEqual([code, stdout], [0, `${base}/c/full-disk/\n`], stderr);
  assert.match(stderr, /cannot be remembered in the folder: ENOSPC/);
});

test("names in decomposed Unicode arrive composed, as pages refer to them", async (t) => {
  const folder = await folderWith(t, "decomposed", { "index.html": PAGE, "u\u0308bung.txt": "text" });
  assert.equal((await easel(["deploy", folder], { env })).code, 0);
  const paths = await service.db.all<{ path: string }>`
    select path from version_files join canvases on canvases.version_id = version_files.version_id
    where slug = 'decomposed' order by path`;
  assert.deepEqual(
    paths.map((row) => row.path),
    ["index.html", "\u00fcbung.txt"],
  );
});

const WAITING = "Waiting for the browser";

test("Ctrl-C in a terminal ends the wait with exit code 130", {
  skip: process.platform !== "linux" && "the program `script` has other options",
}, async (t) => {
  const home = { EASEL_CONFIG_DIR: await temporaryDirectory(t), BROWSER: "/bin/true" };
  const command = `stty cols 80; exec ${process.execPath} ${BIN} login ${base}`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    env: { ...home, PATH: process.env.PATH ?? "", TERM: "xterm" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  atEnd(t, async () => void child.kill());
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    const isFirst = !shown.includes(WAITING);
    shown += text;
    if (isFirst && shown.includes(WAITING)) child.stdin.write("\x03");
  });
  const [code] = await once(child, "exit");
  assert.equal(code, 130, shown);
  assert.match(shown, /Interrupted/);
});
