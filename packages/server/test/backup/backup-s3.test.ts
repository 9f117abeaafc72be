import assert from "node:assert/strict";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { restoreBackup } from "../../src/backup/restore-backup.ts";
import { takeBackup } from "../../src/backup/take-backup.ts";
import { verifyBackup } from "../../src/backup/verify-backup.ts";
import { newInstance, refused } from "../support/backed-up.ts";
import { S3_VARIABLES, type S3Server, startS3 } from "../support/s3-server.ts";
import { ENGINES, type Engine, type Scope } from "../support/service.ts";

/** An instance whose blobs are on S3, and a function that makes backups of it. */
async function onS3(scope: Scope, server: S3Server, engine?: Engine) {
  const more = { SERVICE_BLOBS_URL: server.url("board/"), ...S3_VARIABLES };
  const instance = await newInstance(scope, engine, more);
  const { settings, backups } = instance;
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);

  /** Does the work, and returns what it has printed. */
  async function told(work: Promise<unknown>): Promise<string> {
    lines.length = 0;
    await work;
    return lines.join("\n");
  }
  return {
    ...instance,
    backUp: () => told(takeBackup(settings, backups, { print })),
    restore: (name?: string) => told(restoreBackup(settings, backups, { name, replace: true, print })),
  };
}

/** Returns the requests for blobs with a method since the last call. */
function requestsOf(server: S3Server, method: string): string[] {
  const seen = server.requests.splice(0);
  return seen
    .filter((each) => each.method === method && /^board\/blobs\//.test(each.name))
    .map(({ name }) => name);
}

const blobsOn = (server: S3Server) => server.names().filter((name) => /\/blobs\//.test(name));

for (const engine of ENGINES)
  test(`an instance on ${engine.name} with its blobs on S3 is backed up by what is new, and restored into an empty bucket`, {
    skip: engine.skip,
  }, async (t) => {
    const server = await startS3(t);
    const { backups, settings, start, backUp, restore } = await onS3(t, server, engine);
    const first = await start(["board"]);
    await first.put("kept", "before");
    await first.env.compressions.settled();
    const all = blobsOn(server);
    assert.ok(all.length > 3, `${all}`);
    requestsOf(server, "GET");
    assert.match(await backUp(), new RegExp(`Copying ${all.length} of ${all.length} blobs`));
    assert.deepEqual(requestsOf(server, "GET").sort(), all);
    const { key } = await first.env.blobs.put([Buffer.from("new")] as unknown as AsyncIterable<Uint8Array>);
    await first.env.db.run`update version_files set blob_key = ${key} where path = 'index.html'`;
    requestsOf(server, "GET");
    assert.match(await backUp(), /Copying 1 of \d+ blobs/);
    assert.deepEqual(requestsOf(server, "GET"), [`board/blobs/${key}`]);
    await verifyBackup(backups, undefined);
    await first.put("kept", "after");
    await first.stop();

    const [oldest] = (await readdir(backups)).filter((name) => name.startsWith("2")).sort();
    server.objects.clear();
    assert.match(await restore(oldest), new RegExp(`Copying ${all.length} of ${all.length} blobs`));
    assert.deepEqual(blobsOn(server), all);
    const second = await start();
    assert.equal(await second.read("kept"), '{"value":"before"}');
    assert.equal(await second.page(), 200);
    await second.stop();
    // Once more: the bucket has all but one, and the data directory is lost, too.
    server.objects.delete(all[0] as string);
    if (engine.name === "sqlite") await rm(settings.SERVICE_DATA_DIR as string, { recursive: true });
    requestsOf(server, "PUT");
    assert.match(await restore(oldest), new RegExp(`Copying 1 of ${all.length} blobs`));
    assert.deepEqual(requestsOf(server, "PUT"), [all[0]]);
    const third = await start();
    assert.equal(await third.page(), 200);
    await third.stop();
  });

test("objects that the bucket has lost or damaged are told, and come back from an older backup; a refusal is told in words", async (t) => {
  const server = await startS3(t);
  const { backups, settings, start, backUp, restore } = await onS3(t, server);
  const service = await start(["board"]);
  await service.stop();
  await backUp();
  const [lost = "", damaged = ""] = blobsOn(server);
  const keyOf = (name: string) => path.basename(name);
  const object = server.objects.get(damaged);
  assert.ok(object !== undefined);
  const whole = object.bytes;
  object.bytes = Buffer.concat([whole.subarray(1), whole.subarray(0, 1)]);
  server.objects.delete(lost);

  // The folder has both already, so that the backup is whole.
  assert.doesNotMatch(await backUp(), /Warning/);
  await verifyBackup(backups, undefined);
  const lines: string[] = [];
  const elsewhere = path.join(backups, "elsewhere");
  const name = await takeBackup(settings, elsewhere, { print: (line) => void lines.push(line) });
  for (const each of [lost, damaged])
    assert.match(lines.join("\n"), new RegExp(`${keyOf(each)} is missing or damaged in the instance itself`));
  assert.deepEqual(
    new Set((await verifyBackup(elsewhere, name)).manifest.missing),
    new Set([lost, damaged].map(keyOf)),
  );

  server.fault = ({ method, name }) =>
    method === "GET" && name === lost.replace(keyOf(lost), keyOf(blobsOn(server)[0] ?? ""))
      ? { status: 403, code: "AccessDenied" }
      : undefined;
  await refused(
    takeBackup(settings, path.join(backups, "denied")),
    /No backup was made, .*S3 answers 403 AccessDenied/,
  );
  assert.deepEqual((await readdir(path.join(backups, "denied"))).sort(), ["backups.lock", "blobs"]);
  server.fault = () => undefined;

  assert.match(await restore(), /Copying 2 of \d+ blobs/);
  assert.deepEqual(server.objects.get(damaged)?.bytes, whole);
  assert.ok(server.objects.has(lost));

  // A bucket of another instance is left as it is.
  const before = server.names();
  const other = await newInstance(t, undefined, { SERVICE_BLOBS_URL: server.url("other/"), ...S3_VARIABLES });
  await (await other.start(["board"])).stop();
  const both = server.names();
  await refused(
    restoreBackup(other.settings, backups),
    /the blobs of instance .* name an empty bucket or prefix/,
  );
  assert.deepEqual(server.names(), both);
  assert.ok(both.length > before.length);
});
