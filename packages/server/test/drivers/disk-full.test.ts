import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import type { Env } from "../../src/env.ts";
import { startDev } from "../support/engines.ts";
import { upload, visit } from "../support/publish.ts";
import { fill, smallDisk } from "../support/small-disk.ts";
import { zip } from "../support/zip.ts";

const MIB = 1024 * 1024;

/** Lists the temporary files of uploads, and of blobs that are being written. */
const staged = async ({ config }: Env) =>
  (
    await Promise.all(["uploads", "blobs/staging"].map((name) => readdir(path.join(config.dataDir, name))))
  ).flat();

const BUNDLES: Record<string, () => Promise<Buffer>> = {
  "a small one": () => zip({ "index.html": "new" }),
  "one that does not fit": () => zip({ "index.html": "new", "noise.bin": randomBytes(4 * MIB) }),
  "one that does not fit unpacked": () =>
    zip({ "index.html": "new", "noughts.bin": Buffer.from(randomBytes(2 * MIB).toString("hex")) }),
};

test("below the reserve, deploys are refused, pages are served and sign-in works", async (t) => {
  const { target, env } = await startDev(t);
  const site = await stage(target);
  const { owner } = site.people;
  assert.equal((await upload(target, owner, site.id, await zip({ "index.html": "old" }))).status, 200);
  env.config.diskReserve = Number.MAX_SAFE_INTEGER;
  refused(
    await upload(target, owner, site.id, await zip({ "index.html": "new" })),
    507,
    "INSUFFICIENT_STORAGE",
  );
  assert.deepEqual(await staged(env), []);
  assert.equal((await visit(target, site.slug, owner)).text, "old");
  await target.signIn("somebody@example.com");
  assert.equal((await send(target.base, { method: "GET", path: "/readyz" })).status, 200);
});

test("on a nearly full disk, sign-in works; on a full one, nothing is written; all writes succeed again when there is space", async (t) => {
  const directory = await smallDisk(t, 40 * MIB);
  if (directory === null) return t.skip("mounting a file system needs rights that this user has not");
  const quiet = { SERVICE_DATA_DIR: directory, SERVICE_LOG_LEVEL: "silent" };
  const { target, env } = await startDev(t, quiet);
  const site = await stage(target);
  const { owner } = site.people;
  const put = (key: string, value: unknown) =>
    send(target.base, {
      method: "PUT",
      path: `/v1/c/${site.slug}/kv/${key}`,
      headers: owner.headers,
      body: JSON.stringify(value),
    });
  const ready = async () => {
    const now = env.clock() + 1_000;
    env.clock = () => now;
    return (await send(target.base, { method: "GET", path: "/readyz" })).status;
  };
  assert.equal((await upload(target, owner, site.id, await zip({ "index.html": "old" }))).status, 200);
  assert.equal((await put("key", "old")).status, 200);
  const versions = async () =>
    (await env.db.all`select id from versions where canvas_id = ${site.id}`).length;

  // Leaves 3 MiB free, which is less than the reserve of a tenth of the disk.
  const file = await fill(directory, 3 * MIB);
  for (const [name, bundle] of Object.entries(BUNDLES)) {
    refused(await upload(target, owner, site.id, await bundle()), 507, "INSUFFICIENT_STORAGE");
    assert.deepEqual(await staged(env), [], name);
  }
  await target.signIn("somebody@example.com");
  refused(await put("key", "new"), 507, "INSUFFICIENT_STORAGE");
  assert.equal(await ready(), 200);

  await fill(directory, 0);
  assert.equal(await ready(), 503);
  refused(await put("key", "new"), 507, "INSUFFICIENT_STORAGE");
  assert.equal((await visit(target, site.slug, owner)).text, "old");

  await rm(file);
  assert.equal(await ready(), 200);
  const kept = await send(target.base, {
    method: "GET",
    path: `/v1/c/${site.slug}/kv/key`,
    headers: owner.headers,
  });
  assert.deepEqual(kept.json, { value: "old" });
  assert.equal((await put("key", "again")).status, 200);
  assert.equal(await versions(), 1);
  assert.equal((await upload(target, owner, site.id, await zip({ "index.html": "new" }))).status, 200);
});

test("without a reserve, a deploy to a full disk is refused and leaves nothing", async (t) => {
  const directory = await smallDisk(t, 40 * MIB);
  if (directory === null) return t.skip("mounting a file system needs rights that this user has not");
  const settings = {
    SERVICE_DATA_DIR: directory,
    SERVICE_LOG_LEVEL: "silent",
    SERVICE_DISK_RESERVE_BYTES: "0",
  };
  const { target, env } = await startDev(t, settings);
  const site = await stage(target);
  const { owner } = site.people;
  await fill(directory, 2 * MIB);
  for (const name of ["one that does not fit", "one that does not fit unpacked"]) {
    refused(
      await upload(target, owner, site.id, await (BUNDLES[name] as () => Promise<Buffer>)()),
      507,
      "INSUFFICIENT_STORAGE",
    );
    assert.deepEqual(await staged(env), [], name);
  }
  assert.deepEqual(await env.db.all`select id from versions where canvas_id = ${site.id}`, []);
});
