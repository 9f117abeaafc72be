import assert from "node:assert/strict";
import { utimes } from "node:fs/promises";
import path from "node:path";
import { after, before, it } from "node:test";
import { upload } from "@easel/conformance/files/form";
import { type Stage, stage } from "@easel/conformance/fixture";
import { open } from "@easel/conformance/page";
import { refused } from "@easel/conformance/refusal";
import { purgeCanvases } from "../../../src/canvases/deletion.ts";
import { sweepBlobs } from "../../../src/canvases/sweep.ts";
import type { Blobs } from "../../../src/drivers/blobs/blobs.ts";
import { bytesOf, keysOf } from "../../drivers/blobs-contract.ts";
import { times } from "../../drivers/databases.ts";
import { onEngines } from "../../support/engines.ts";
import { startNode } from "../realtime/realtime-node.ts";
import { setQuota } from "./file-stores.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

await onEngines("blobs of files", (target, env) => {
  let canvas: Stage;
  before(async () => {
    canvas = await stage(target);
  });
  const sweepAfter = (ms: number) => sweepBlobs({ ...env, clock: () => Date.now() + ms });
  const send = (bytes: string, page = canvas.pages.owner) => upload(page, {}, { bytes });
  const add = async (bytes: string): Promise<string> => {
    const made = await send(bytes);
    assert.equal(made.status, 201, made.text);
    return `/files/${made.json.id}`;
  };
  const read = async (file: string) => (await canvas.pages.owner.get(`${file}/content`)).text;
  const remove = async (file: string) => assert.equal((await canvas.pages.owner.delete(file)).status, 200);

  it("parallel uploads fill the quota to the byte; the blobs of the refused ones are swept", async () => {
    await setQuota(env.db, 1_000);
    const answers = await times(30, (index) => send(`${index}`.padEnd(100)));
    const [made, full] = [201, 409].map((status) => answers.filter((each) => each.status === status));
    assert.deepEqual([made?.length, full?.length], [10, 20]);
    for (const each of full ?? []) refused(each, 409, "QUOTA_EXCEEDED");
    const row = await env.db.get<{ bytes: number; files: number }>`
      select (select bytes from file_bytes where canvas_id = ${canvas.id}) as bytes, count(*) as files
      from files where canvas_id = ${canvas.id}`;
    assert.deepEqual([Number(row?.bytes), Number(row?.files)], [1_000, 10]);
    assert.equal(await sweepAfter(0), 0);
    await sweepAfter(2 * HOUR_MS);
    assert.equal((await keysOf(env.blobs)).length, 10);
    await setQuota(env.db, null);
    for (const { json } of made ?? []) await remove(`/files/${json.id}`);
    await sweepAfter(2 * HOUR_MS);
    assert.deepEqual(await keysOf(env.blobs), []);
  });

  it("a blob stays while a file points to it, whatever its age, and goes an hour after the last one", async () => {
    const [one, two] = [await add("the same bytes"), await add("the same bytes")];
    assert.equal(await sweepAfter(365 * DAY_MS), 0);
    await remove(one);
    assert.equal(await sweepAfter(365 * DAY_MS), 0);
    assert.equal(await read(two), "the same bytes");
    await remove(two);
    assert.equal(await sweepAfter(0.9 * HOUR_MS), 0);
    assert.equal(await sweepAfter(1.1 * HOUR_MS), 1);
  });

  it("a sweep between the bytes and the row of an upload keeps a blob that was old and unreferenced", async () => {
    await remove(await add("old bytes"));
    const [key = ""] = await keysOf(env.blobs);
    const then = new Date(Date.now() - 2 * HOUR_MS);
    const root = env.config.blobsUrl.slice("file:".length);
    await utimes(path.join(root, key.slice(0, 2), key), then, then);
    let swept: number | undefined;
    const put: Blobs["put"] = async (...given) => {
      const blob = await env.blobs.put(...given);
      swept = await sweepAfter(0);
      return blob;
    };
    const node = await startNode({ after }, env, { blobs: { ...env.blobs, put } });
    const made = await send("old bytes", open(node.target, canvas.slug, canvas.people.owner));
    assert.equal(swept, 0);
    assert.equal(await read(`/files/${made.json.id}`), "old bytes");
    await remove(`/files/${made.json.id}`);
    assert.equal(await sweepAfter(2 * HOUR_MS), 1);
  });

  it("the purge of a canvas removes the blobs of its files", async () => {
    const other = await stage(target);
    await add("of the canvas");
    await send("kept", other.pages.owner);
    const rows = await env.db.all<{
      blob_key: string;
    }>`select blob_key from files where canvas_id = ${canvas.id}`;
    assert.equal(rows.length, 1);
    const key = String(rows[0]?.blob_key);
    assert.equal(String(await bytesOf(await env.blobs.get(key))), "of the canvas");
    await env.db.run`update canvases set deleted_at = ${Date.now() - 31 * DAY_MS} where id = ${canvas.id}`;
    assert.equal(await sweepAfter(2 * HOUR_MS), 0, "a deleted canvas can be restored for 30 days");
    assert.equal(await purgeCanvases(env), 1);
    assert.equal(await env.blobs.get(key), null);
    assert.equal(await sweepAfter(2 * HOUR_MS), 0);
    assert.equal((await keysOf(env.blobs)).length, 1);
  });
});
