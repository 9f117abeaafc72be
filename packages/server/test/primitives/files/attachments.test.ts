import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { upload } from "@easel/conformance/files/form";
import type { Stage } from "@easel/conformance/fixture";
import { open, type Page } from "@easel/conformance/page";
import { collecting } from "@easel/conformance/policy";
import { connect } from "@easel/conformance/realtime/socket";
import { refused } from "@easel/conformance/refusal";
import { sweepBlobs } from "../../../src/canvases/sweep.ts";
import { type Db, type Step, statementOf, textOf } from "../../../src/drivers/db/db.ts";
import type { Env } from "../../../src/env.ts";
import { RecordStore } from "../../../src/primitives/collections/store.ts";
import { AttachmentRemoval, sweepAttachments } from "../../../src/primitives/files/attachments.ts";
import { FileStore } from "../../../src/primitives/files/store.ts";
import { keysOf } from "../../drivers/blobs-contract.ts";
import { times } from "../../drivers/databases.ts";
import { changedDb } from "../../support/changed-db.ts";
import { onEngines } from "../../support/engines.ts";
import { startNode } from "../realtime/realtime-node.ts";
import { fileOf } from "./file-stores.ts";

const HOUR_MS = 60 * 60 * 1000;
const SCOPE = "record:board";

/** Whether a batch removes files. */
const removes = (steps: readonly Step<string>[]) =>
  steps.some((each) => textOf(statementOf(each)[0]).includes("delete from files"));

await onEngines("attachments", (target, env) => {
  let canvas: Stage;
  let page: Page;
  before(async () => {
    canvas = await collecting(target, { board: { preset: "collaborative" } });
    page = canvas.pages.viewer;
  });

  const create = async (value = 1): Promise<string> => {
    const made = await page.post("/collections/board", value);
    assert.equal(made.status, 201, made.text);
    return String(made.json.id);
  };
  /** Inserts rows of files that are attached to a record, without their blobs. */
  const attach = (record_id: string, count: number, size = 1) =>
    times(count, () => new FileStore(env, canvas.id).create(fileOf(size, { scope: SCOPE, record_id })));
  /** Requires that the canvas's counter of bytes is the sum of the sizes of its files. Returns the number of files. */
  async function held(): Promise<number> {
    const row = await env.db.get<{ counted: number; bytes: number; files: number }>`
      select coalesce((select bytes from file_bytes where canvas_id = ${canvas.id}), 0) as counted,
        cast(coalesce(sum(size), 0) as bigint) as bytes, count(*) as files
      from files where canvas_id = ${canvas.id}`;
    assert.equal(Number(row?.counted), Number(row?.bytes));
    return Number(row?.files);
  }
  /** Starts a node that removes `count` batches of files, and fails to remove any more. */
  async function broken(count = 0): Promise<Page> {
    let left = count;
    const batch: Db["batch"] = async (steps) => {
      if (removes(steps) && left-- <= 0) throw new Error("the removal fails");
      return env.db.batch(steps);
    };
    const log = env.log.child({}, { level: "silent" });
    const node = await startNode({ after }, env, { db: changedDb(env.db, { batch }), log });
    return open(node.target, canvas.slug, canvas.people.viewer);
  }

  it("an update of a record keeps its attachments, and a delete removes them and gives their bytes back", async () => {
    const id = await create();
    const made = await upload(page, { collection: "board", recordId: id });
    assert.equal(made.status, 201, made.text);
    assert.equal((await page.put(`/collections/board/${id}`, 2)).status, 200);
    assert.equal((await page.get(`/files/${made.json.id}/content`)).status, 200);
    assert.equal(await held(), 1);
    assert.deepEqual((await page.delete(`/collections/board/${id}`)).json, {
      ok: true,
      attachmentCleanupFailed: 0,
    });
    assert.equal(await held(), 0);
    refused(await page.get(`/files/${made.json.id}/content`), 404, "NOT_FOUND");
  });

  it("1,000 attachments of a record are removed 100 at a time, and other writes go on meanwhile", async () => {
    const id = await create();
    await attach(id, 1_000);
    const other = await create();
    await attach(other, 3);
    await new RecordStore(env.db, canvas.id, "board", canvas.people.viewer.email).delete(id);
    const counts = [await held()];
    const batch: Db["batch"] = async (steps) => {
      const done = await env.db.batch(steps);
      counts.push(await held());
      assert.equal((await page.put("/kv/user/a", counts.length)).status, 200);
      return done;
    };
    const removal = new AttachmentRemoval(canvas.id, "board", { ...env, db: changedDb(env.db, { batch }) });
    await removal.remove([id]);
    assert.equal(removal.failed, 0);
    assert.deepEqual(
      counts,
      Array.from({ length: 11 }, (_, index) => 1_003 - 100 * index),
    );
    await page.delete(`/collections/board/${other}`);
    assert.equal(await held(), 0);
  });

  it("attachments that cannot be removed are counted and hidden, and the next sweep removes them", async () => {
    const page = await broken();
    const id = await create();
    await attach(id, 2);
    const made = await upload(page, { collection: "board", recordId: id }, { bytes: `of ${canvas.slug}` });
    const file = `/files/${made.json.id}`;
    const kept = await create();
    const [left] = await attach(kept, 1);
    assert.deepEqual((await page.delete(`/collections/board/${id}`)).json, {
      ok: true,
      attachmentCleanupFailed: 3,
    });
    assert.equal(await held(), 4);
    for (const answer of [
      await page.get(`${file}/content`),
      await page.send("HEAD", `${file}/content`),
      await page.send("PATCH", file, [["Content-Type", "application/json"]], '{"name":"mine"}'),
      await page.delete(file),
      await page.get(`/files?collection=board&recordId=${id}`),
      await upload(page, { collection: "board", recordId: id }),
    ])
      assert.equal(answer.status, 404, answer.text);
    for (const list of ["/files", "/files?limit=1", "/files?collection=board"]) {
      const { files } = (await page.get(list)).json as unknown as { files: { id: string }[] };
      assert.deepEqual(
        files.map((each) => each.id),
        [typeof left === "object" ? left.id : ""],
      );
    }
    const later: Env = { ...env, clock: () => Date.now() + 2 * HOUR_MS };
    await sweepBlobs(later);
    assert.equal((await keysOf(env.blobs)).length, 1, "a file points to its blob until it is removed");
    await sweepAttachments(env);
    assert.equal(await held(), 1);
    assert.equal(await sweepBlobs(later), 1);
    await page.delete(`/collections/board/${kept}`);
    assert.equal((await page.delete("/collections/board")).status, 200);
    await sweepAttachments(env);
    assert.equal(await held(), 0);
  });

  it("a clear returns the number of attachments that are left, of all its records", async () => {
    const ids = await times(120, () => create());
    await times(120, (index) => attach(ids[index] ?? "", 1));
    const page = await broken(1);
    assert.deepEqual((await page.delete("/collections/board")).json, {
      deleted: 120,
      attachmentCleanupFailed: 20,
    });
    assert.equal(await held(), 20);
    assert.deepEqual((await page.get("/files")).json, { files: [], nextCursor: null });
    await sweepAttachments(env);
    assert.equal(await held(), 0);
  });

  it("an upload concurrent with the delete of its record leaves nothing to read, and nothing after the sweep", async () => {
    const store = new FileStore(env, canvas.id);
    for (let round = 0; round < 20; round++) {
      const id = await create();
      const [made] = await Promise.all([
        attach(id, 4),
        page.delete(`/collections/board/${id}`),
        attach(id, 4),
      ]);
      for (const file of made)
        if (typeof file === "object") assert.equal(await store.find(file.id), undefined);
      assert.deepEqual(await store.list(SCOPE, null, "", 100), []);
    }
    await sweepAttachments(env);
    assert.equal(await held(), 0);
  });

  it("the sweep removes the attachments of removed records alone, however many others there are", async () => {
    const [gone, kept] = [await create(), await create()];
    await attach(gone, 150);
    await attach(kept, 250);
    await env.db.run`delete from records where id = ${gone}`;
    await env.db
      .run`insert into files (id, canvas_id, scope, record_id, owner_id, uploaded_by, name, mime, size, blob_key, created_at)
      values (${"stray"}, ${"none"}, ${SCOPE}, ${"none"}, ${"u"}, ${"u"}, ${"n"}, ${"m"}, ${1}, ${"k"}, ${0})`;
    await sweepAttachments(env);
    assert.equal(await held(), 250);
    assert.deepEqual(await env.db.all`select id from files where canvas_id = ${"none"}`, []);
    await page.delete(`/collections/board/${kept}`);
  });

  it("watchers of files get one resync after a delete, and one after a clear that removes files", async () => {
    const watching = await connect(target, canvas.slug, canvas.people.viewer);
    assert.equal((await watching.ask({ type: "watch", resource: "files" })).type, "watching");
    const single = await create();
    await attach(single, 150);
    const many = await times(150, () => create());
    await times(150, (index) => attach(many[index] ?? "", 1));
    const clears = [`/collections/board/${single}`, "/collections/board", "/collections/board"];
    const frames = [];
    for (const path of clears) {
      assert.equal((await page.delete(path)).status, 200);
      frames.push(await watching.settled());
    }
    const resync = { type: "resync", resource: "files" };
    assert.deepEqual(frames, [[resync], [resync], []]);
    await watching.close();
  });
});
