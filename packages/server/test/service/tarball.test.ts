import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { before, test } from "node:test";
import { ASSETS } from "../../src/config/assets.ts";
import { type InstalledServer, installServer } from "../support/installed-server.ts";
import { atEnd, fileScope, type Scope, temporaryDirectory } from "../support/service.ts";

const MAX_PACKED = 2.5 * 1024 * 1024;

const scope = fileScope();
let installed: InstalledServer;
before(async () => {
  installed = await installServer(scope);
});

/** Starts the installed program in an empty folder, with no other programs on its path than Node. */
async function start(t: Scope, args: string[], settings: Record<string, string> = {}) {
  const child = spawn(installed.program, args, {
    cwd: await temporaryDirectory(t),
    env: { PATH: path.dirname(process.execPath), ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  atEnd(t, async () => void child.kill("SIGKILL"));
  return child;
}

test("the package has no dependencies and no scripts, and is small", async () => {
  const manifest = JSON.parse(await readFile(path.join(installed.folder, "package.json"), "utf8"));
  assert.equal(manifest.name, "@easel/server");
  assert.deepEqual(manifest.engines, { node: ">=24.10" });
  for (const field of ["private", "dependencies", "devDependencies", "scripts", "exports"])
    assert.equal(manifest[field], undefined, field);
  assert.deepEqual(Object.keys(manifest.peerDependencies), Object.keys(manifest.peerDependenciesMeta));
  assert.ok((await stat(installed.tarball)).size < MAX_PACKED);
});

test("the package has the files that the service reads, and the licences of what it contains", async () => {
  const files = await readdir(installed.folder, { recursive: true });
  for (const asset of Object.values(ASSETS)) assert.ok(files.includes(path.join("assets", asset)), asset);
  assert.ok(files.includes(path.join("deploy", "systemd", "easel.service")));
  assert.deepEqual(
    files.filter((file) => /\.tsx?$|(^|\/)node_modules(\/|$)/.test(file)),
    [],
  );
  for (const [file, names] of [
    ["LICENSES.txt", ["fastify", "postgres", "@redis/client", "undici", "openid-client"]],
    [`assets/${ASSETS.dashboard}/LICENSES.txt`, ["react-dom", "react-aria", "@codemirror/view"]],
  ] as const) {
    const licences = await readFile(path.join(installed.folder, file), "utf8");
    for (const name of names) assert.ok(new RegExp(`^${name} \\d`, "m").test(licences), name);
  }
});

test("old versions of Node can parse the program", async () => {
  const program = await readFile(await realpath(installed.program), "utf8");
  assert.match(program, /^#!\/usr\/bin\/env node\n/);
  assert.match(program, /easel-server needs Node 24\.10 or newer/);
  assert.doesNotMatch(program, /(^|[;\n])import\b(?!\()/);
});

test("the installed program prints its version and its help", async (t) => {
  for (const [args, said] of [
    [["--version"], /^easel-server \d+\.\d+\.\d+, Node /],
    [["--help"], /^Usage: easel-server \[COMMAND\]/],
  ] as const) {
    const child = await start(t, [...args]);
    assert.match(await text(child.stdout as Readable), said);
  }
});

test("the installed program serves canvases, documentation and the dashboard without warnings, and stops", async (t) => {
  const child = await start(t, [], { SERVICE_PORT: "0" });
  const exited = once(child, "exit");
  const errors = text(child.stderr as Readable);
  const [line] = (await once(child.stdout as Readable, "data")) as [Buffer];
  const base = /http:\S+/.exec(line.toString())?.[0] ?? "";
  const signedIn = await fetch(`${base}/auth/dev/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "ada@acme.test" }),
  });
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  for (const [address, said] of [
    ["/healthz", /./],
    ["/sdk/v1.js", /easel/],
    ["/sdk/easel.css", /:root/],
    ["/docs/install", /easel-server/],
    ["/skill.md", /canvas/],
    ["/", /<script type="module"/],
  ] as const) {
    const answer = await fetch(base + address, { headers: { cookie, accept: "text/html" } });
    assert.equal(answer.status, 200, address);
    const page = await answer.text();
    assert.match(page, said);
    for (const [, script = ""] of page.matchAll(/<script type="module"[^>]* src="([^"]+)"/g))
      for (const encoding of ["identity", "br", "gzip"]) {
        const sent = await fetch(base + script, { headers: { "accept-encoding": encoding } });
        assert.equal(sent.headers.get("content-encoding") ?? "identity", encoding);
        assert.match(await sent.text(), /import/);
      }
  }
  child.kill("SIGTERM");
  assert.deepEqual(await exited, [0, null]);
  assert.doesNotMatch(await errors, /warning/i);
});
