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

/** Returns the live version of the canvas with a slug, as a list. The list is empty if there is no such canvas. */
const versionsOf = async (slug: string) =>
  (
    await service.db.all<{ version: string | null }>`
      select version_id as version from canvases where slug = ${slug} and deleted_at is null`
  ).map(({ version }) => version);

/**
 * Starts a TCP proxy of the service that fails after it has received `bytes` bytes from clients: it then closes open connections and
 * refuses new ones until `repair` is called. `failed` resolves when it fails.
 */
async function failingProxy(
  t: Scope,
  bytes: number,
): Promise<{ url: string; repair(): void; failed: Promise<void> }> {
  let left = bytes;
  const sockets = new Set<Socket>();
  const failed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    if (left <= 0) return void socket.destroy();
    const upstream = openSocket(Number(new URL(base).port), "127.0.0.1");
    for (const each of [socket, upstream]) {
      sockets.add(each);
      each.on("error", () => {}).on("close", () => sockets.delete(each));
    }
    socket.on("data", (chunk) => {
      left -= chunk.length;
      if (left > 0) return;
      for (const each of sockets) each.destroy();
      failed.resolve();
    });
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(t, async () => {
    for (const each of sockets) each.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return {
    url: `http://localhost:${port}`,
    failed: failed.promise,
    repair: () => (left = Number.POSITIVE_INFINITY),
  };
}

const blobs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`data/${at}.bin`, randomBytes(200_000)]));

test("a deploy continues by itself after a lost connection", async (t) => {
  const folder = await folderWith(t, "weak-line", { "index.html": PAGE });
  assert.equal((await easel(["deploy", folder], { env })).code, 0);
  await addFiles(folder, blobs(8));
  const proxy = await failingProxy(t, 700_000);
  const running = easel(["deploy", "--json", "--url", proxy.url, "--slug", "weak-line", folder], { env });
  await proxy.failed;
  proxy.repair();
  const { code, stdout, stderr } = await running;
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).sent, 8);
});

test("the next run resumes an interrupted deploy and does not send the uploaded files again", async (t) => {
  const folder = await folderWith(t, "interrupted", { "index.html": PAGE });
  assert.equal((await easel(["deploy", folder], { env })).code, 0);
  const [asItWas] = await versionsOf("interrupted");
  await addFiles(folder, blobs(8));
  const proxy = await failingProxy(t, 1_500_000);
  const direct = { ...env, EASEL_URL: proxy.url };
  const stop = new AbortController();
  const running = easel(["deploy", "--slug", "interrupted", folder], { env: direct, signal: stop.signal });
  await proxy.failed;
  stop.abort(new Error("Interrupted."));
  const { code, stdout } = await running;
  assert.deepEqual([code, stdout], [130, ""]);
  assert.deepEqual(await versionsOf("interrupted"), [asItWas]);

  proxy.repair();
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
  assert.deepEqual(await versionsOf("given-up"), []);
  assert.equal((await easel(["deploy", folder], { env })).code, 0);
});

test("two concurrent first deploys: one creates the canvas, the other is refused and deletes nothing", async (t) => {
  const folders = await Promise.all(
    ["one", "two"].map((text) => folderWith(t, "same-name", { "index.html": `${PAGE}${text}`, ...blobs(2) })),
  );
  const outcomes = await Promise.all(folders.map((folder) => easel(["deploy", folder], { env })));
  const codes = outcomes.map(({ code }) => code).sort();
  // The other finds the slug taken, or a canvas without a version that its folder was not deployed to before.
  const [first, second = 0] = codes;
  assert.ok(first === 0 && [2, 5].includes(second), outcomes.map(({ stderr }) => stderr).join());
  const [version, ...others] = await versionsOf("same-name");
  assert.ok(version);
  assert.deepEqual(others, []);
});

test("a deploy fails if a file changes after it was hashed", async (t) => {
  const folder = await folderWith(t, "changing-file", { "index.html": PAGE });
  assert.equal((await easel(["deploy", folder], { env })).code, 0);
  const [asItWas] = await versionsOf("changing-file");
  const file = path.join(folder, "big.bin");
  await addFiles(folder, { "big.bin": randomBytes(500_000) });
  const proxy = await failingProxy(t, 100_000);
  const running = easel(["deploy", "--url", proxy.url, "--slug", "changing-file", folder], { env });
  await proxy.failed;
  await writeFile(file, randomBytes(400_000));
  proxy.repair();
  const { code, stderr } = await running;
  assert.deepEqual([code, await versionsOf("changing-file")], [1, [asItWas]], stderr);
  assert.match(stderr, /big\.bin changed during the deploy/);
});

test("an unreachable service: exit code 6, at once", async (t) => {
  const folder = await folderWith(t, "unreachable", { "index.html": PAGE });
  const proxy = await failingProxy(t, 0);
  const { code, stderr } = await easel(["deploy", "--url", proxy.url, folder], { env });
  assert.equal(code, 6, stderr);
  assert.match(stderr, /cannot be reached: the connection was cut/);
});
