import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { createServer, connect as openSocket, type Socket } from "node:net";
import path from "node:path";
import { test } from "node:test";
import { atEnd, fileScope, type Scope } from "../../server/test/support/service.ts";
import { addFiles, easel, folderWith, startSite } from "./support/easel.ts";

const { base, env, service } = await startSite(fileScope());

const PAGE = "<!doctype html><title>Page</title>";

/** The live versions of the canvas with a slug, and whether a canvas with the slug exists. */
const versionOf = async (slug: string) =>
  (
    await service.db.all<{ version: string | null }>`
      select version_id as version from canvases where slug = ${slug} and deleted_at is null`
  ).map(({ version }) => version);

/**
 * Starts a line to the service that passes `bytes` bytes to it and then breaks: open connections are cut and new ones refused, until
 * `mend` is called.
 */
async function weakLine(
  t: Scope,
  bytes: number,
): Promise<{ url: string; mend(): void; broken: Promise<void> }> {
  let left = bytes;
  const sockets = new Set<Socket>();
  const broken = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    if (left <= 0) return void socket.destroy();
    const onward = openSocket(Number(new URL(base).port), "127.0.0.1");
    for (const each of [socket, onward]) {
      sockets.add(each);
      each.on("error", () => {}).on("close", () => sockets.delete(each));
    }
    socket.on("data", (chunk) => {
      left -= chunk.length;
      if (left > 0) return;
      for (const each of sockets) each.destroy();
      broken.resolve();
    });
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(t, async () => {
    for (const each of sockets) each.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return {
    url: `http://localhost:${port}`,
    broken: broken.promise,
    mend: () => (left = Number.POSITIVE_INFINITY),
  };
}

const blobs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`data/${at}.bin`, randomBytes(200_000)]));

test("a deploy goes on by itself when the line breaks and comes back", async (t) => {
  const folder = await folderWith(t, "weak-line", { "index.html": PAGE });
  assert.equal((await easel(["deploy", folder], { env })).code, 0);
  await addFiles(folder, blobs(8));
  const line = await weakLine(t, 700_000);
  const running = easel(["deploy", "--json", "--url", line.url, "--slug", "weak-line", folder], { env });
  await line.broken;
  line.mend();
  const { code, stdout, stderr } = await running;
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).sent, 8);
});

test("a deploy that was interrupted is resumed: files that arrived are not sent again", async (t) => {
  const folder = await folderWith(t, "interrupted", { "index.html": PAGE });
  assert.equal((await easel(["deploy", folder], { env })).code, 0);
  const [asItWas] = await versionOf("interrupted");
  await addFiles(folder, blobs(8));
  const line = await weakLine(t, 1_500_000);
  const direct = { ...env, EASEL_URL: line.url };
  const stop = new AbortController();
  const running = easel(["deploy", "--slug", "interrupted", folder], { env: direct, signal: stop.signal });
  await line.broken;
  stop.abort(new Error("Interrupted."));
  const { code, stdout } = await running;
  assert.deepEqual([code, stdout], [130, ""]);
  assert.deepEqual(await versionOf("interrupted"), [asItWas]);

  line.mend();
  const resumed = await easel(["deploy", "--json", "--slug", "interrupted", folder], { env: direct });
  assert.equal(resumed.code, 0, resumed.stderr);
  const { sent } = JSON.parse(resumed.stdout);
  assert.ok(sent > 0 && sent < 8, `${sent}`);
});

test("a first deploy that is interrupted leaves no canvas", async (t) => {
  const folder = await folderWith(t, "given-up", { "index.html": PAGE, ...blobs(4) });
  const stop = new AbortController();
  const onStderr = (text: string) => {
    if (text.includes("Uploading")) stop.abort(new Error("Interrupted."));
  };
  const { code } = await easel(["deploy", folder], { env, signal: stop.signal, onStderr });
  assert.equal(code, 130);
  assert.deepEqual(await versionOf("given-up"), []);
  assert.equal((await easel(["deploy", folder], { env })).code, 0);
});

test("two first deploys at once: one makes the canvas, the other is a conflict and takes nothing away", async (t) => {
  const folders = await Promise.all(
    ["one", "two"].map((text) => folderWith(t, "same-name", { "index.html": `${PAGE}${text}`, ...blobs(2) })),
  );
  const outcomes = await Promise.all(folders.map((folder) => easel(["deploy", folder], { env })));
  const codes = outcomes.map(({ code }) => code).sort();
  assert.deepEqual(codes, [0, 5], outcomes.map(({ stderr }) => stderr).join());
  const [version, ...others] = await versionOf("same-name");
  assert.ok(version);
  assert.deepEqual(others, []);
});

test("a file that changes after it was hashed is refused, not published half", async (t) => {
  const folder = await folderWith(t, "changing-file", { "index.html": PAGE });
  assert.equal((await easel(["deploy", folder], { env })).code, 0);
  const [asItWas] = await versionOf("changing-file");
  const file = path.join(folder, "big.bin");
  await addFiles(folder, { "big.bin": randomBytes(500_000) });
  const line = await weakLine(t, 100_000);
  const running = easel(["deploy", "--url", line.url, "--slug", "changing-file", folder], { env });
  await line.broken;
  await writeFile(file, randomBytes(400_000));
  line.mend();
  const { code, stderr } = await running;
  assert.deepEqual([code, await versionOf("changing-file")], [1, [asItWas]], stderr);
  assert.match(stderr, /big\.bin changed during the deploy/);
});

test("a service that does not answer: exit code 6, at once", async (t) => {
  const folder = await folderWith(t, "unreachable", { "index.html": PAGE });
  const line = await weakLine(t, 0);
  const { code, stderr } = await easel(["deploy", "--url", line.url, folder], { env });
  assert.equal(code, 6, stderr);
  assert.match(stderr, /cannot be reached: the connection was cut/);
});
