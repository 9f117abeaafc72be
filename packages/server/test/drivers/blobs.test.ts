import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import fs, { mkdir, readdir, rename, stat, utimes, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { BlockList } from "node:net";
import path from "node:path";
import { describe, test } from "node:test";
import { readClientDocument } from "../../src/access/client-document.ts";
import { Background, WorkLists } from "../../src/async/background.ts";
import { CallLog } from "../../src/async/call-log.ts";
import { Turns } from "../../src/async/event-loop-turns.ts";
import { LastSeen } from "../../src/async/last-seen.ts";
import { OutboundCalls, Tally } from "../../src/async/outbound-calls.ts";
import { PageViews } from "../../src/async/page-views.ts";
import { Sample } from "../../src/async/sampled.ts";
import { Concurrency, TaskPool } from "../../src/async/task-pool.ts";
import { coreData } from "../../src/canvases/core-data.ts";
import { sweepBlobs } from "../../src/canvases/sweep.ts";
import { baseOf } from "../../src/config/addresses.ts";
import { readConfig } from "../../src/config/config.ts";
import { Passwords } from "../../src/crypto/passwords.ts";
import { Sealer, Signer } from "../../src/crypto/secrets.ts";
import type { Blobs } from "../../src/drivers/blobs/blobs.ts";
import { local } from "../../src/drivers/blobs/local.ts";
import { memory } from "../../src/drivers/bus/memory.ts";
import { migrate } from "../../src/drivers/db/migrate.ts";
import { DocumentCache } from "../../src/drivers/document-cache.ts";
import { openDb } from "../../src/drivers/index.ts";
import { UndiciOutbound } from "../../src/drivers/outbound/undici-outbound.ts";
import { RemoteDocuments } from "../../src/drivers/remote-documents.ts";
import type { Env } from "../../src/env.ts";
import { newLog } from "../../src/http/log.ts";
import { NodeLease } from "../../src/instance/lease.ts";
import { newMetrics } from "../../src/metrics/metrics.ts";
import { atEnd, ENGINES, type Scope, temporaryDirectory } from "../support/service.ts";
import { blobsContract, bytesOf, inPieces, keysOf, notInUse } from "./blobs-contract.ts";

const HOUR_MS = 60 * 60 * 1000;
const text = (words: string) => inPieces(Buffer.from(words));

/** Opens a store of blobs in a temporary directory. */
async function open(scope: Scope): Promise<{ blobs: Blobs; root: string }> {
  const root = path.join(await temporaryDirectory(scope), "blobs");
  const blobs = await local(root);
  atEnd(scope, () => blobs.close());
  return { blobs, root };
}

const fileOf = (root: string, key: string) => path.join(root, key.slice(0, 2), key);

/** Makes a blob look as if it had been put `ms` milliseconds ago. */
async function age(root: string, key: string, ms: number): Promise<void> {
  const then = new Date(Date.now() - ms);
  await utimes(fileOf(root, key), then, then);
}

blobsContract("local", false, async (scope) => {
  const { blobs, root } = await open(scope);
  return { blobs, age: (key, ms) => age(root, key, ms) };
});

describe("local blobs", () => {
  test("tidy removes old files in staging, but no blobs", async (t) => {
    const { blobs, root } = await open(t);
    const { key } = await blobs.put(text("kept"));
    await mkdir(path.join(root, "staging"), { recursive: true });
    const old = new Date(Date.now() - 2 * HOUR_MS);
    await writeFile(path.join(root, "staging", "half-written"), "ha");
    await utimes(path.join(root, "staging", "half-written"), old, old);
    // A recent file, which another node may be writing at this moment.
    await writeFile(path.join(root, "staging", "being-written"), "ha");
    await blobs.tidy(Date.now() - HOUR_MS);
    assert.deepEqual(await readdir(path.join(root, "staging")), ["being-written"]);
    assert.deepEqual(await keysOf(blobs), [key]);
  });

  test("below the reserve, put rejects; markers and tryWrite still work", async (t) => {
    const { root } = await open(t);
    const full = await local(root, Number.MAX_SAFE_INTEGER);
    await assert.rejects(full.put(text("tea")), { code: "ENOSPC", message: /SERVICE_DISK_RESERVE_BYTES/ });
    assert.deepEqual(await readdir(root, { recursive: true }), ["staging"]);
    await full.tryWrite();
    assert.equal(await full.mark("instance", "one"), "one");
  });

  test("a marker is created on a file system without hard links", async (t) => {
    const { blobs, root } = await open(t);
    t.mock.method(fs, "link", async () =>
      Promise.reject(Object.assign(new Error("no links"), { code: "EPERM" })),
    );
    syncBuiltinESMExports();
    t.after(() => {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    });
    assert.equal(await blobs.mark("instance", "one"), "one");
    assert.equal(await blobs.mark("instance", "two"), "one");
    assert.deepEqual((await readdir(root, { recursive: true })).sort(), ["instance.marker", "staging"]);
  });

  test("a put whose source fails leaves no file", async (t) => {
    const { blobs, root } = await open(t);
    const failing = async function* () {
      yield Buffer.from("half");
      throw new Error("the source broke");
    };
    await assert.rejects(blobs.put(failing()));
    assert.deepEqual(await readdir(root, { recursive: true }), ["staging"]);
  });

  test("a hostile key reaches no file outside of the store", async (t) => {
    const { blobs, root } = await open(t);
    const outside = path.join(root, "..", "outside");
    await writeFile(outside, "mine");
    for (const key of ["../outside", "../../outside", "..", outside]) {
      assert.equal(await blobs.get(key), null);
      await blobs.remove([key], notInUse);
    }
    assert.ok(existsSync(outside));
  });

  test("a blob in use that a removal has moved aside is readable until it is moved back", async (t) => {
    const { blobs, root } = await open(t);
    const { key } = await blobs.put(text("tea"));
    const read = async () => (await bytesOf(await blobs.get(key)))?.toString();
    const seen: unknown[] = [];
    const { link: reallyLink } = fs;
    t.mock.method(fs, "link", async (from: string, to: string) => {
      seen.push(existsSync(fileOf(root, key)), await read());
      await reallyLink(from, to);
    });
    syncBuiltinESMExports();
    t.after(() => {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    });
    await blobs.remove([key], async (keys) => new Set(keys));
    assert.deepEqual(seen, [false, "tea"]);
    assert.equal(await read(), "tea");
    assert.deepEqual(await keysOf(blobs), [key]);
    assert.deepEqual(await readdir(path.join(root, "removing")), []);
  });

  test("a removal that goes on after tidy has moved its files back removes nothing that was put since", async (t) => {
    const { blobs, root } = await open(t);
    const { key } = await blobs.put(text("tea"));
    const claimed = new Set<string>();
    const removed = await blobs.remove([key], async () => {
      await blobs.tidy(Date.now() + HOUR_MS);
      await blobs.put(text("tea"), { claim: async (blob) => void claimed.add(blob.key) });
      return new Set<string>();
    });
    assert.equal(removed, 1);
    assert.equal((await bytesOf(await blobs.get(key)))?.toString(), "tea");
    await blobs.remove([key], async () => {
      await blobs.tidy(Date.now() + HOUR_MS);
      return claimed;
    });
    assert.equal((await bytesOf(await blobs.get(key)))?.toString(), "tea");
    assert.deepEqual(await readdir(path.join(root, "removing")), []);
  });

  test("a blob that a killed process had moved aside is readable, and tidy moves it back", async (t) => {
    const { blobs, root } = await open(t);
    const { key } = await blobs.put(text("tea"));
    await mkdir(path.join(root, "removing"));
    const aside = path.join(root, "removing", `${key}.1`);
    await rename(fileOf(root, key), aside);
    assert.equal((await bytesOf(await blobs.get(key)))?.toString(), "tea");
    await blobs.tidy(Date.now() - HOUR_MS);
    assert.ok(existsSync(aside), "it may be another node's at this moment");
    await blobs.tidy(Date.now() + HOUR_MS);
    assert.deepEqual(await readdir(path.join(root, "removing")), []);
    assert.equal((await bytesOf(await blobs.get(key)))?.toString(), "tea");
    assert.deepEqual(await keysOf(blobs), [key]);
  });

  test("a stream under way gets all bytes although the blob is put again and removed", async (t) => {
    const { blobs } = await open(t);
    const { key } = await blobs.put(text("tea"));
    const reading = await blobs.get(key);
    await blobs.put(text("tea"));
    await blobs.remove([key], notInUse);
    assert.equal((await bytesOf(reading))?.toString(), "tea");
  });

  test("files and directories are private to the user of the service", async (t) => {
    const { blobs, root } = await open(t);
    const { key } = await blobs.put(text("tea"));
    for (const each of [fileOf(root, key), path.dirname(fileOf(root, key)), path.join(root, "staging")]) {
      assert.equal((await stat(each)).mode & 0o077, 0, each);
    }
  });
});

for (const { name, skip, database } of ENGINES) {
  describe(`sweeping on ${name}`, { skip }, () => {
    test("removes the blobs that no row refers to and that are older than an hour", async (t) => {
      const { blobs, root } = await open(t);
      const config = readConfig({ SERVICE_DATABASE_URL: await database(t) });
      const db = await openDb(config, assert.ifError);
      atEnd(t, () => db.close());
      await migrate(db);
      await db.run`insert into users (id, email, name, created_at) values (${"u"}, ${"u@example.com"}, ${"U"}, ${0})`;
      await db.run`insert into canvases (id, slug, title, owner_id, created_by, created_at, updated_at)
        values (${"c"}, ${"tea"}, ${"Tea"}, ${"u"}, ${"u"}, ${0}, ${0})`;
      await db.run`insert into versions (id, canvas_id, created_at, created_by, files, bytes)
        values (${"v"}, ${"c"}, ${0}, ${"u"}, ${1}, ${1})`;

      const keys: Record<string, string> = {};
      for (const [word, hours, used] of [
        ["old and used", 2, true],
        ["old and unused", 2, false],
        ["new and used", 0.9, true],
        ["new and unused", 0.9, false],
      ] as const) {
        const { key } = await blobs.put(text(word));
        keys[word] = key;
        await age(root, key, hours * HOUR_MS);
        if (!used) continue;
        await db.run`insert into version_files (version_id, path, encoding, mime, blob_key, size)
          values (${"v"}, ${word}, ${"identity"}, ${"text/plain"}, ${key}, ${1})`;
      }

      const bus = memory();
      const env: Env = {
        config,
        base: baseOf(config, config.port),
        db,
        blobs,
        bus,
        passwords: new Passwords(1),
        turns: new Turns(),
        background: new Background(),
        ai: null,
        outbound: new UndiciOutbound(async () => [], { approved: new BlockList(), servicePort: 0 }),
        publicOutbound: new UndiciOutbound(async () => [], { approved: new BlockList(), servicePort: 0 }),
        clientDocuments: new RemoteDocuments(readClientDocument, { clock: Date.now, log: newLog("silent") }),
        outboundCalls: new OutboundCalls(),
        callLog: new CallLog(false),
        pageViews: new PageViews(false),
        callTally: new Tally(),
        lastSeen: new LastSeen(),
        open: { realtimeConnections: 0 },
        metrics: newMetrics(),
        refusalSample: new Sample(),
        sealer: new Sealer([]),
        lease: new NodeLease({ db, bus, clock: Date.now, log: newLog("silent") }),
        responses: new Concurrency(1),
        uploads: new TaskPool({ running: 1, runningEach: 1, waitingEach: 1 }),
        unfinished: new Concurrency(1),
        downloads: new TaskPool({ running: 1, runningEach: 1, waitingEach: 1 }),
        imports: new TaskPool({ running: 1, runningEach: 1, waitingEach: 1 }),
        calls: new TaskPool({ running: 1, runningEach: 1, waitingEach: 1 }),
        lateBodies: new TaskPool({ running: 1, runningEach: 1, waitingEach: 1 }),
        deploys: new TaskPool({ running: 1, runningEach: 1, waitingEach: 1 }),
        compressions: new WorkLists(
          new TaskPool({ running: 1, runningEach: 1, waitingEach: 1 }),
          assert.ifError,
        ),
        policies: new DocumentCache(),
        stopping: new AbortController().signal,
        localContent: new Map(),
        isDev: false,
        canvasData: [coreData],
        signer: new Signer(["a secret of the tests that is long enough"]),
        proxyKeys: null,
        clock: Date.now,
        log: newLog("silent"),
      };
      assert.equal(await sweepBlobs(env), 1);
      const { "old and unused": gone, ...left } = keys;
      assert.deepEqual(await keysOf(blobs), Object.values(left).sort());
      assert.equal(await blobs.get(gone ?? ""), null);
      assert.equal(await sweepBlobs(env), 0);
      assert.equal(await sweepBlobs({ ...env, clock: () => Date.now() + HOUR_MS }), 1);
      assert.deepEqual(await keysOf(blobs), [keys["old and used"], keys["new and used"]].sort());
    });
  });
}
