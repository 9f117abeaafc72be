import assert from "node:assert/strict";
import { randomBytes, randomInt } from "node:crypto";
import { before, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { upload } from "@easel/conformance/files/form";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import { TO_COMPRESS } from "../../src/canvases/bundle-blobs.ts";
import { blobColumnsOf } from "../../src/canvases/canvas-data.ts";
import { compressLater } from "../../src/canvases/publishing/compressions.ts";
import { storeVersion } from "../../src/canvases/publishing/deploy.ts";
import { addFiles, receiveFile, receiveFiles, stageDeploy } from "../../src/canvases/publishing/staging.ts";
import { sweepBlobs } from "../../src/canvases/sweep.ts";
import { sweepVersions } from "../../src/canvases/version-files.ts";
import { newId } from "../../src/crypto/ids.ts";
import { BlobReferences, claimStep, endClaim, putClaimed } from "../../src/drivers/blob-references.ts";
import type { Blobs } from "../../src/drivers/blobs/blobs.ts";
import { sql } from "../../src/drivers/db/db.ts";
import { openDb } from "../../src/drivers/index.ts";
import type { Env } from "../../src/env.ts";
import { FileStore } from "../../src/primitives/files/store.ts";
import { bytesOf, inPieces, keysOf } from "../drivers/blobs-contract.ts";
import { onEngines } from "../support/engines.ts";
import { sha256 } from "../support/staged.ts";
import { recount } from "../support/stored-bytes.ts";
import { newWork } from "../support/work.ts";

const HOUR_MS = 60 * 60 * 1000;

await onEngines("claims of blobs", (target, env) => {
  let site: Stage;
  let user: string;
  before(async () => {
    site = await stage(target);
    user = String((await manage(target, site.people.owner, "GET", "/api/me")).json.id);
  });

  const at = (ms: number, through = env) => ({ ...through, clock: () => Date.now() + ms });
  const later = (through = env) => at(2 * HOUR_MS, through);
  const withBlobs = (changed: Partial<Blobs>): Env => ({ ...env, blobs: { ...env.blobs, ...changed } });
  const claims = () => env.db.all`select id from blob_claims`;
  const page = () => `<p>${randomBytes(20).toString("hex")} ${"and words ".repeat(100)}`;
  const textOf = async (content: string) => (await bytesOf(await env.blobs.get(sha256(content))))?.toString();
  /** Returns the sum of the bytes that the canvas counts, and requires that it is exact. */
  const bytes = async () => {
    const row = await env.db.get<{ bytes: number }>`
      select bytes from bundle_bytes where canvas_id = ${site.id}`;
    assert.equal(Number(row?.bytes ?? 0), await recount(site.id, env));
    return Number(row?.bytes ?? 0);
  };
  const bundleOf = (content: string) => [
    { path: "index.html", size: content.length, open: async () => inPieces(Buffer.from(content)) },
  ];
  /** Stores a file as an upload of a page does. Returns what the store of files returns. */
  const addFile = async (content: string, through = env) => {
    const { key, size, claim } = await putClaimed(inPieces(Buffer.from(content)), through);
    const place = { scope: "shared", record_id: null, owner_id: user, uploaded_by: user } as const;
    const file = { ...place, name: "a.txt", mime: "text/plain", size, blob_key: key, claim, created_at: 1 };
    return new FileStore(through, site.id).create(file);
  };
  /** Sweeps as if every stored blob were old, while uploads go on. */
  const sweepAll = (through = env) => {
    const { blobs } = through;
    return sweepBlobs({ ...through, blobs: { ...blobs, list: () => blobs.list(Number.MAX_SAFE_INTEGER) } });
  };

  it("a file, a version, a staged file and variants leave no claim", async () => {
    const content = page();
    assert.equal(typeof (await addFile(content)), "object");
    await storeVersion(site.id, user, bundleOf(content), env);
    compressLater(user, env);
    await env.compressions.settled();
    const staged = page();
    const files = [{ path: "index.html", key: sha256(staged), size: staged.length }];
    const { id } = await stageDeploy(site.id, user, { files }, newWork(), env);
    const place = { id, canvasId: site.id, userId: user };
    const blob = await receiveFile(place, sha256(staged), 0, inPieces(Buffer.from(staged)), env);
    assert.equal((await claims()).length, 1);
    await addFiles(place, blob, env);
    assert.deepEqual(await claims(), []);
    await sweepAll();
    assert.deepEqual([await textOf(content), await textOf(staged)], [content, staged]);
  });

  it("what is refused leaves no claim: staged files with other bytes, a form of them, a version that stops, a file without room", async () => {
    const [one, two] = [page(), page()];
    const files = [one, two].map((content, index) => ({
      path: `${index}.html`,
      key: sha256(content),
      size: content.length,
    }));
    const { id } = await stageDeploy(site.id, user, { files }, newWork(), env);
    const key = { id, canvasId: site.id, userId: user };
    const wrong = (content: string) => Buffer.from(content.replaceAll("words", "wrong"));
    await assert.rejects(receiveFile(key, sha256(one), 0, inPieces(wrong(one)), env), { status: 400 });
    assert.deepEqual(await claims(), []);
    const form = new Map([one, two].map((content) => [sha256(content), wrong(content)]));
    assert.equal((await receiveFiles(key, form, env)).refused.length, 2);
    assert.deepEqual(await claims(), []);
    // Both requests store the file; the second finds that the first has added it.
    const both = await Promise.all(
      [1, 2].map(() => receiveFiles(key, new Map([[sha256(one), Buffer.from(one)]]), env)),
    );
    assert.equal((await claims()).length, 2);
    for (const received of both) await addFiles(key, received, env);
    assert.deepEqual(await claims(), []);
    const stopping = withBlobs({ put: async () => assert.fail("the client has gone") });
    await assert.rejects(storeVersion(site.id, user, bundleOf(page()), stopping), /has gone/);
    assert.deepEqual(await claims(), []);
    await env.db.run`insert into quotas (name, value) values ('files.bytes.canvas', 1)
      on conflict (name) do update set value = excluded.value`;
    assert.equal(await addFile(page()), "full");
    await env.db.run`delete from quotas where name = 'files.bytes.canvas'`;
    assert.deepEqual(await claims(), []);
    await sweepAll();
  });

  for (const [when, order] of [
    ["before the claim", { sweep: "claim" }],
    ["between the claim and the bytes", { sweep: "bytes" }],
    ["between the bytes and the row", { sweep: "row" }],
  ] as const)
    it(`an upload whose bytes lie unreferenced in the store, swept ${when}: the bytes are there`, async () => {
      const content = page();
      await env.blobs.put(inPieces(Buffer.from(content)));
      const put: Blobs["put"] = async (source, { claim, ...options } = {}) => {
        const blob = await env.blobs.put(source, {
          ...options,
          claim: async (given) => {
            if (order.sweep === "claim") assert.equal(await sweepAll(), 1);
            await claim?.(given);
            if (order.sweep === "bytes") await sweepAll();
          },
        });
        if (order.sweep === "row") await sweepAll();
        return blob;
      };
      assert.equal(typeof (await addFile(content, withBlobs({ put }))), "object");
      assert.equal(await textOf(content), content);
      await sweepAll();
      assert.equal(await textOf(content), content);
    });

  for (const [when, isMoved] of [
    ["after the sweep has found it unused, and before it moves the bytes", false],
    ["after the sweep has looked it up again, and before it removes the bytes", true],
  ] as const)
    for (const [what, store] of [
      ["a file", (content: string) => addFile(content)],
      ["a version", (content: string) => storeVersion(site.id, user, bundleOf(content), env)],
    ] as const)
      it(`${what} that is stored ${when}: the bytes are there`, async () => {
        const content = page();
        await env.blobs.put(inPieces(Buffer.from(content)));
        const remove: Blobs["remove"] = async (keys, inUse) => {
          if (!isMoved) await store(content);
          return env.blobs.remove(keys, async (moved) => {
            const used = await inUse(moved);
            if (isMoved) await store(content);
            return used;
          });
        };
        await sweepAll(withBlobs({ remove }));
        assert.equal(await textOf(content), content);
        await sweepAll();
        assert.equal(await textOf(content), content);
      });

  it("an upload that takes so long that its claim has ended: no row refers to bytes that are gone", async () => {
    const content = page();
    const put: Blobs["put"] = async (...given) => {
      const blob = await env.blobs.put(...given);
      await sweepBlobs(later());
      return blob;
    };
    assert.equal(await addFile(content, withBlobs({ put })), "lost");
    assert.equal(await textOf(content), undefined);
    assert.deepEqual(await env.db.all`select id from files where blob_key = ${sha256(content)}`, []);
  });

  it("a page's upload that takes so long: 503, and the next one succeeds", async () => {
    const content = page();
    const batch = env.db.batch;
    let swept = false;
    // The service of the tests shares `env.db`, so the sweep runs before the batch that inserts the row.
    env.db.batch = async (steps) => {
      const inserts = JSON.stringify(steps).includes("insert into files");
      if (inserts && !swept) {
        swept = true;
        await sweepBlobs(later());
      }
      return batch(steps);
    };
    try {
      refused(await upload(site.pages.owner, {}, { bytes: content }), 503, "UNAVAILABLE");
    } finally {
      env.db.batch = batch;
    }
    assert.equal((await upload(site.pages.owner, {}, { bytes: content })).status, 201);
    assert.equal(await textOf(content), content);
  });

  it("a deploy whose claim has ended stores its files again", async () => {
    const content = page();
    let puts = 0;
    const put: Blobs["put"] = async (...given) => {
      const blob = await env.blobs.put(...given);
      if (puts++ === 0) await sweepBlobs(later());
      return blob;
    };
    const { files } = await storeVersion(site.id, user, bundleOf(content), withBlobs({ put }));
    assert.deepEqual([files, puts], [1, 2]);
    assert.equal(await textOf(content), content);
    await bytes();
  });

  it("the claim of another upload of the same canvas does not stand in for one that has ended", async () => {
    const content = page();
    const files = [{ path: "index.html", key: sha256(content), size: content.length }];
    const { id } = await stageDeploy(site.id, user, { files }, newWork(), env);
    const place = { id, canvasId: site.id, userId: user };
    const receive = (through = env) =>
      receiveFile(place, sha256(content), 0, inPieces(Buffer.from(content)), through);
    const slow = await receive();
    await sweepBlobs(later());
    assert.equal(await textOf(content), undefined);
    // Another request has claimed the blob, and not stored it yet.
    const put: Blobs["put"] = () => Promise.reject(new Error("the process has ended"));
    await assert.rejects(receive(withBlobs({ put })), /the process has ended/);
    await assert.rejects(addFiles(place, slow, env), { status: 503 });
    await addFiles(place, await receive(), env);
    assert.equal(await textOf(content), content);
  });

  it("variants whose claims have ended are not served, and are made again", async () => {
    const content = page();
    await storeVersion(site.id, user, bundleOf(content), env);
    let isSwept = false;
    const put: Blobs["put"] = async (...given) => {
      const blob = await env.blobs.put(...given);
      if (!isSwept) await sweepBlobs(later());
      isSwept = true;
      return blob;
    };
    const row = () =>
      env.db.get<{ compressed: number; br: string | null }>`
        select compressed, br_key as br from bundle_blobs where canvas_id = ${site.id} and blob_key = ${sha256(content)}`;
    compressLater(user, withBlobs({ put }));
    await env.compressions.settled();
    if ((await row())?.compressed === TO_COMPRESS) {
      compressLater(user, env);
      await env.compressions.settled();
    }
    const { br } = (await row()) ?? assert.fail();
    assert.ok(isSwept && br !== null && (await bytesOf(await env.blobs.get(br))) !== null);
  });

  it("a process that ends after the claim, or after the bytes: all is counted, and an hour later nothing is left", async () => {
    await sweepVersions(Date.now() + 1, env);
    await sweepBlobs(later());
    const [before, blobs] = [await bytes(), await keysOf(env.blobs)];
    for (const isStored of [false, true]) {
      const content = page();
      const put: Blobs["put"] = async (...given) => {
        if (isStored) await env.blobs.put(...given);
        throw new Error("the process has ended");
      };
      // A process that has ended does not release its claim either.
      const run = async () => assert.fail("the process has ended");
      const db = { ...env.db, withReserve: { ...env.db.withReserve, run } };
      const ended = { ...withBlobs({ put }), db, log: env.log.child({}, { level: "silent" }) };
      await assert.rejects(storeVersion(site.id, user, bundleOf(content), ended), /has ended/);
      assert.equal(await bytes(), before + content.length + 4096);
      assert.equal((await claims()).length, 1);
      await sweepBlobs(at(0.9 * HOUR_MS));
      assert.equal(await textOf(content), isStored ? content : undefined);
      assert.equal(await bytes(), before + content.length + 4096);
      await sweepBlobs(later());
      assert.deepEqual([await bytes(), await keysOf(env.blobs), await claims()], [before, blobs, []]);
    }
  });

  it("a look-up sees a claim or the row that takes its place at every time", async () => {
    const db = await openDb(env.config, assert.ifError);
    try {
      const references = new BlobReferences(db, blobColumnsOf(env.canvasData));
      const key = sha256(page());
      let done = false;
      let seen = 0;
      const insert = async () => {
        for (let round = 0; round < 100 || seen <= 20; round++) {
          const claim = newId();
          await env.db.batch([claimStep(claim, [key], Date.now())]);
          if (round > 0) await env.db.run`delete from files where blob_key = ${key}`;
          await env.db.batch([
            endClaim(claim),
            sql`insert into files (id, canvas_id, scope, owner_id, uploaded_by, name, mime, size, blob_key, created_at)
              values (${newId()}, ${site.id}, 'shared', ${user}, ${user}, 'n', 'm', 1, ${key}, 1)`,
          ]);
        }
      };
      const inserting = insert().finally(() => {
        done = true;
      });
      while (!done) {
        const isThere = (await references.among([key])).has(key);
        assert.ok(isThere || seen === 0, `look-up ${seen}`);
        if (isThere) seen++;
        await setImmediate();
      }
      await inserting;
      await env.db.run`delete from files where blob_key = ${key}`;
    } finally {
      await db.close();
    }
  });

  it("uploads and removals on two nodes amid sweeps that take every blob for old: no blob in use is removed", async () => {
    const db = await openDb(env.config, assert.ifError);
    try {
      const nodes = [env, { ...env, db }];
      const contents = Array.from({ length: 12 }, page);
      const sweeps = { rounds: 0, removed: 0 };
      let uploads = 0;
      /** Two sweeps at once can move a blob and back between the looks of one read. One that is removed is not found again. */
      const found = async (content: string) => {
        for (let reads = 1; reads < 10; reads++) {
          const text = await textOf(content);
          if (text !== undefined) return text;
        }
        return textOf(content);
      };
      const uploader = async (node: Env) => {
        for (let round = 0; round < 25; round++) {
          const content = contents[randomInt(contents.length)] as string;
          const file = await addFile(content, node);
          const { id } = typeof file === "object" ? file : assert.fail(file);
          assert.equal(await found(content), content, "right after the row");
          await setImmediate();
          assert.equal(await found(content), content, "some time after the row");
          if (round < 24) await new FileStore(node, site.id).delete(id, node.clock());
          uploads++;
        }
      };
      const sweeper = async (node: Env, running: () => boolean) => {
        while (running()) {
          sweeps.removed += await sweepAll(node);
          sweeps.rounds++;
        }
      };
      let running = 6;
      const uploading = Array.from({ length: running }, (_, index) =>
        uploader(nodes[index % 2] as Env).finally(() => running--),
      );
      await Promise.all([...uploading, ...nodes.map((node) => sweeper(node, () => running > 0))]);
      assert.ok(uploads === 150 && sweeps.rounds > 0 && sweeps.removed > 0, JSON.stringify(sweeps));
      const rows = await env.db.all<{ key: string }>`select distinct blob_key as key from files`;
      for (const { key } of rows) assert.notEqual(await bytesOf(await env.blobs.get(key)), null);
    } finally {
      await db.close();
    }
  });
});
