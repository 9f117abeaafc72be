import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { atEnd, temporaryDirectory } from "./support.ts";

const START = path.join(import.meta.dirname, "../start.js");

/** A start that cannot succeed: its exit code and what it says. */
async function fail(settings: Record<string, string>): Promise<{ code: number; said: string }> {
  const child = spawn(process.execPath, [START], {
    env: { ...process.env, ...settings },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  return { code, said };
}

test("mistakes in the settings stop the start: each by name, and no secret", async () => {
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

test("a port that is taken stops the start and says what to set", async (t) => {
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

test("a database that does not answer stops the start", async () => {
  const { code, said } = await fail({ SERVICE_DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" });
  assert.equal(code, 1);
  assert.match(said, /SERVICE_DATABASE_URL/);
});

test("a Node that is too old is told so in a file that it can read", async () => {
  const source = await readFile(START, "utf8");
  assert.match(source, /major < 26/);
  assert.doesNotMatch(source, /^import /m);
});
