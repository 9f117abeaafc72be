import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { before, it, test } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import { type BundleFile, withBundle } from "../../src/canvases/publishing/bundle.ts";
import { publishStored, storeVersion } from "../../src/canvases/publishing/deploy.ts";
import { sweepBlobs } from "../../src/canvases/sweep.ts";
import { FILES_AT_ONCE, sweepVersions } from "../../src/canvases/version-files.ts";
import type { Env } from "../../src/env.ts";
import { changedDb, runEach } from "../support/changed-db.ts";
import { onEngines } from "../support/engines.ts";
import { publish, upload, visit } from "../support/publish.ts";
import { temporaryDirectory } from "../support/service.ts";
import { forge, zip } from "../support/zip.ts";

const HOUR_MS = 60 * 60 * 1000;

const fileOf = (at: string, content: string | Buffer): BundleFile => ({
  path: at,
  size: content.length,
  open: async () =>
    (async function* () {
      yield Buffer.from(content);
    })(),
});

/** Wraps the environment of a service: records in `batches` how many rows each batch of writes changes. */
function counting(env: Env): { env: Env; batches: number[] } {
  const batches: number[] = [];
  const batch: Env["db"]["batch"] = async (steps) => {
    const changed = await runEach(env.db, steps);
    batches.push(changed.reduce((sum, rows) => sum + rows, 0));
    return "done";
  };
  return { env: { ...env, db: changedDb(env.db, { batch }) }, batches };
}

await onEngines("versions that are being stored", (target, env) => {
  let site: Stage;
  let owner: string;
  before(async () => {
    site = await stage(target);
    await publish(target, site, { "index.html": "as it was" });
    owner = String((await manage(target, site.people.owner, "GET", "/api/me")).json.id);
  });
  const rows = async () => {
    await sweepBlobs({ ...env, clock: () => Date.now() + 2 * HOUR_MS });
    return stored();
  };
  const stored = async () => [
    await env.db.all`select id, state from versions where canvas_id = ${site.id} order by id`,
    await env.db.all`select version_id, path from version_files order by version_id, path, encoding`,
    await env.db.all`select blob_key, uses from bundle_blobs where canvas_id = ${site.id} order by blob_key`,
    await env.db.all`select bytes from bundle_bytes where canvas_id = ${site.id}`,
  ];
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => fileOf(`${index}.txt`, `file ${index}`));

  it("storing and removing a large bundle takes only short batches", async () => {
    const counted = counting(env);
    await storeVersion(site.id, owner, many(2 * FILES_AT_ONCE + 1), counted.env);
    assert.ok(counted.batches.length >= 3);
    // The version, the end of the claim, the blobs, the files, and some rows of the canvas.
    const longest = 3 * FILES_AT_ONCE + 6;
    assert.ok(Math.max(...counted.batches) <= longest, String(counted.batches));
    counted.batches.length = 0;
    await sweepVersions(Date.now() + 1, counted.env);
    assert.ok(counted.batches.length >= 3);
    assert.ok(Math.max(...counted.batches) <= longest, String(counted.batches));
  });

  it("an incomplete version is neither listed nor published, and is removed with its bytes after an hour", async () => {
    const asItWas = await rows();
    const { id } = await storeVersion(site.id, owner, many(3), env);
    const listed = await manage(target, site.people.owner, "GET", `/api/canvases/${site.id}/versions`);
    assert.equal((listed.json.versions as unknown[]).length, 1);
    const at = `/api/canvases/${site.id}/versions/${id}/publish`;
    refused(await manage(target, site.people.owner, "POST", at), 404, "NOT_FOUND");
    assert.equal((await visit(target, site.slug, site.people.owner, "0.txt")).status, 404);
    const { json } = await manage(target, site.people.owner, "GET", `/api/canvases/${site.id}/usage`);
    assert.equal((json.counts as Record<string, { used: number }>)["versions.canvas"]?.used, 1);
    assert.equal((json.bytes as { versions: number }).versions, 9);

    await sweepVersions(Date.now() - HOUR_MS, env);
    assert.notDeepEqual(await rows(), asItWas);
    await Promise.all([1, 2, 3].map(() => sweepVersions(Date.now() + 1, env)));
    assert.deepEqual(await rows(), asItWas);
  });

  it("a version that is removed before it is published: 503, and nothing is left of it", async () => {
    const asItWas = await rows();
    const version = await storeVersion(site.id, owner, many(3), env);
    await env.db.run`update versions set state = 'removing' where id = ${version.id}`;
    await assert.rejects(publishStored(version, env), { status: 503 });
    await sweepVersions(0, env);
    assert.deepEqual(await rows(), asItWas);
  });

  it("an unreadable file: 400, no further file is opened, and nothing is left", async () => {
    const asItWas = await rows();
    const files = many(300);
    let opened = 0;
    const watched = files.map((file, index) => ({
      ...file,
      open: async () => {
        opened++;
        if (index === 200) throw new Error("broken");
        return file.open();
      },
    }));
    await assert.rejects(storeVersion(site.id, owner, watched, env), { status: 400 });
    assert.ok(opened < 210, String(opened));
    assert.deepEqual(await rows(), asItWas);
  });

  it("a canvas that is deleted while its version is stored: 404, and nothing is left", async () => {
    const gone = await stage(target, { people: site.people });
    const version = await storeVersion(gone.id, owner, many(3), env);
    await manage(target, gone.people.owner, "DELETE", `/api/canvases/${gone.id}`);
    await assert.rejects(publishStored(version, env), { status: 404 });
    assert.equal(await env.db.get`select id from versions where canvas_id = ${gone.id}`, undefined);
    await sweepBlobs({ ...env, clock: () => Date.now() + 2 * HOUR_MS });
    assert.deepEqual(await env.db.all`select bytes from bundle_bytes where canvas_id = ${gone.id}`, [
      { bytes: 0 },
    ]);
  });

  it("a file under several names counts once, and each name a row", async () => {
    const content = randomBytes(2_000);
    const same = ["index.html", "a.bin", "b.bin"].map((name) => fileOf(name, content));
    const before = await env.db.get<{
      bytes: number;
    }>`select bytes from bundle_bytes where canvas_id = ${site.id}`;
    await publishStored(await storeVersion(site.id, owner, same, env), env);
    const after = await env.db.get<{
      bytes: number;
    }>`select bytes from bundle_bytes where canvas_id = ${site.id}`;
    const rows = 3 * 512 + 6 * ("index.html".length + "a.bin".length + "b.bin".length);
    assert.equal(Number(after?.bytes) - Number(before?.bytes), 2_000 + 4096 + rows);
  });

  it("with a full queue of deploys a person is refused: 503 with Retry-After; others are not", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const late = await zip({ "index.html": "late" });
    const waiting = Array.from({ length: 9 }, () => env.deploys.run(owner, () => promise));
    const answer = await upload(target, site.people.owner, site.id, late);
    refused(answer, 503, "UNAVAILABLE");
    assert.match(String(answer.headers["retry-after"]), /^\d+$/);
    const other = await upload(target, site.people.editor, site.id, late);
    assert.equal(other.status, 200, other.text);
    resolve();
    await Promise.all(waiting);
    const again = await upload(target, site.people.owner, site.id, await zip({ "index.html": "late" }));
    assert.equal(again.status, 200, again.text);
  });
});

test("parsing 5,000 deep paths takes time linear in their length", async (t) => {
  const file = path.join(await temporaryDirectory(t), "deep.zip");
  const deep = Array.from({ length: 5_000 }, (_, index) => ({
    name: `${"a/".repeat(500)}${index}`,
    content: "",
  }));
  await writeFile(file, forge(deep));
  const slices = t.mock.method(String.prototype, "slice");
  const files = await withBundle(file, async (bundle) => bundle.files.length);
  assert.equal(files, 5_000);
  assert.ok(slices.mock.callCount() < 10 * files, String(slices.mock.callCount()));
});
