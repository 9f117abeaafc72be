import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { PATIENCE_MS } from "@easel/conformance/patience";
import manifest from "../../package.json" with { type: "json" };
import { COMMANDS } from "../../src/commands/commands.ts";
import { NODE, PROGRAM } from "../support/process.ts";
import { atEnd, temporaryDirectory } from "../support/service.ts";

/** Runs a start that must fail; returns its exit code and output. */
async function fail(
  settings: Record<string, string>,
  ...args: string[]
): Promise<{ code: number; said: string }> {
  const child = spawn(NODE, [PROGRAM, ...args], {
    env: { ...process.env, ...settings },
    stdio: ["ignore", "ignore", "pipe"],
    // Kills a start that hangs.
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  return { code, said };
}

test("invalid settings stop the start: each is named, and no secret printed", async () => {
  const { code, said } = await fail({
    SERVICE_PORT: "x",
    SERVICE_SESSION_SECRET: "hunter2",
    SERVICE_BLOBS_URL: "s3://bucket",
  });
  assert.equal(code, 1);
  for (const name of ["SERVICE_PORT", "SERVICE_SESSION_SECRET", "SERVICE_BLOBS_URL"])
    assert.ok(said.includes(name));
  assert.doesNotMatch(said, /hunter2|\n {4}at /);
});

test("a port in use stops the start, with the setting to change", async (t) => {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(t, () => new Promise((done) => server.close(done)));
  const { port } = server.address() as net.AddressInfo;
  const { code, said } = await fail({
    SERVICE_PORT: String(port),
    SERVICE_DATA_DIR: await temporaryDirectory(t),
  });
  assert.equal(code, 1);
  assert.match(said, new RegExp(`${port}.*SERVICE_PORT`));
});

test("an unusable database file stops the start, with its path and advice", async (t) => {
  const directory = await temporaryDirectory(t);
  const file = path.join(directory, "easel.db");
  const start = () => fail({ SERVICE_DATA_DIR: directory, SERVICE_PORT: "0" });
  await writeFile(file, "this is no database, but long enough to look at it".repeat(100));
  for (const damage of [
    async () => {},
    async () => {
      // Writes a file with the valid header of a database, but damaged content.
      await rm(file);
      const db = new DatabaseSync(file);
      db.exec(
        "create table migrations (name text primary key, hash text not null, applied_at bigint not null)",
      );
      db.close();
      const bytes = await readFile(file);
      await writeFile(file, bytes.fill(0xff, 100));
    },
  ]) {
    await damage();
    const { code, said } = await start();
    assert.equal(code, 1);
    assert.ok(said.includes(file), said);
    assert.match(said, /Restore it from a backup/);
    assert.doesNotMatch(said, /\n {4}at /);
  }
});

for (const [what, where] of [
  ["below /proc", "/proc/easel/data"],
  ["where a file is", import.meta.filename],
  ["below a file", path.join(import.meta.filename, "data")],
] as const) {
  test(`a data directory ${what} stops the start`, async () => {
    const { code, said } = await fail({ SERVICE_DATA_DIR: where });
    assert.equal(code, 1);
    assert.match(said, /cannot be created .*SERVICE_DATA_DIR/);
    assert.doesNotMatch(said, /\n {4}at /);
  });
}

test("a command that does not exist is refused", async () => {
  const { code, said } = await fail({}, "joni");
  assert.equal(code, 1);
  assert.match(said, /`joni`.*start, .*join/);
});

test("a database that does not answer stops the start", async () => {
  const { code, said } = await fail({ SERVICE_DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" });
  assert.equal(code, 1);
  assert.match(said, /SERVICE_DATABASE_URL/);
});

for (const version of ["20.19.0", "24.9.0"]) {
  test(`Node ${version} is too old: a message names the version that is needed`, async () => {
    const asVersion = `Object.defineProperty(process, "versions", { value: { node: "${version}" } })`;
    const source = `data:text/javascript,${encodeURIComponent(asVersion)}`;
    const { code, said } = await fail({ NODE_OPTIONS: `--import=${source}` });
    assert.equal(code, 1);
    assert.match(said, /needs Node 24\.10 or newer/);
  });
}

test("Nodes that are too old can parse the file with this message", async () => {
  assert.doesNotMatch(await readFile(PROGRAM, "utf8"), /^import /m);
});

test("an error that nothing catches ends the service with one line of the log", async (t) => {
  const inject = `const timer = setInterval(() => {
    if (process.listenerCount("uncaughtException") === 0) return;
    clearInterval(timer);
    Promise.reject(new Error("nobody has expected this"));
  }, 10);`;
  const { code, said } = await fail({
    SERVICE_DATA_DIR: await temporaryDirectory(t),
    SERVICE_PORT: "0",
    SERVICE_LOG_LEVEL: "fatal",
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(inject)}`,
  });
  assert.equal(code, 1);
  const { level, origin, err, time } = JSON.parse(said);
  assert.deepEqual([level, origin, err.message], ["fatal", "unhandledRejection", "nobody has expected this"]);
  assert.match(err.stack, /\n {4}at /);
  assert.equal(new Date(time).toISOString(), time);
});

test("a command that does not exist, or is misused, is refused with what to write", async () => {
  for (const [args, said] of [
    [["frobnicate"], /no command `frobnicate`.*start, /],
    [["start", "--port", "5"], /Unknown option '--port'.*start --help/],
    [["copy", "a.db"], /Usage: easel-server copy \[--to URL\]/],
    [["__proto__"], /no command/],
    [["worker"], /no command/],
    [["admin"], /^Usage: easel-server admin COMMAND\n.*\n {2}deactivate /s],
    [["admin", "frobnicate"], /no command `admin frobnicate`.*users, /],
    [
      ["admin", "token", "ada@acme.test"],
      /Usage: easel-server admin token PERSON --name NAME --expires DAYS \[/,
    ],
  ] as const) {
    const failed = await fail({}, ...args);
    assert.equal(failed.code, 1);
    assert.match(failed.said, said);
    assert.doesNotMatch(failed.said, /\n {4}at /);
  }
});

test("the help names every command, and the version is that of the package", async () => {
  const print = async (...args: string[]) => {
    const child = spawn(NODE, [PROGRAM, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    assert.equal(code, 0);
    return said;
  };
  const help = await print("--help");
  for (const name of Object.keys(COMMANDS)) assert.match(help, new RegExp(`^  ${name} `, "m"));
  assert.match(await print("copy", "--help"), /^Usage: easel-server copy \[--to URL\] \[--blobs URL\]\n/);
  assert.match(
    await print("--version"),
    new RegExp(`easel-server ${manifest.version.replaceAll(".", "\\.")}`),
  );
});
