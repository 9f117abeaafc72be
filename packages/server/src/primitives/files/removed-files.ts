import { blobColumnsOf, type Removing } from "../../canvases/canvas-data.ts";
import { BlobReferences } from "../../drivers/blob-references.ts";
import { asKeys, type Db, joined, optional, type Sql, sql } from "../../drivers/db/db.ts";
import { heldUntil } from "../../instance/sweep-guard.ts";

/*
 * The bytes of a removed file stay for a while, as those of every blob, so that a backup finds what its copy of the database refers to. Until
 * they are gone, the file has a row in `removed_files` and counts in the quotas. An upload that needs the room removes them at once
 * (decision 147).
 */

/** The number of files whose bytes are removed at once. */
const AT_ONCE = 100;

interface RemovedFile {
  id: string;
  canvas: string;
  key: string;
}

/** Removes the bytes of files that have been removed, unless something else has the same bytes, and ends counting them. */
async function removeBytes(files: RemovedFile[], env: Removing): Promise<void> {
  const db = env.db.withReserve;
  const references = new BlobReferences(db, blobColumnsOf(env.canvasData));
  await env.blobs.remove(
    files.map(({ key }) => key),
    (moved) => references.among(moved),
  );
  for (const [canvas, some] of Map.groupBy(files, (file) => file.canvas)) {
    const ids = asKeys(some.map(({ id }) => id));
    await db.batch([
      // Locks the sum, so that concurrent calls subtract each size only once.
      optional`update file_bytes set removed = removed where canvas_id = ${canvas}`,
      optional`update file_bytes set removed = removed - coalesce((
          select sum(size) from removed_files where id in (select key from json_each(${ids}))), 0)
        where canvas_id = ${canvas}`,
      optional`delete from removed_files where id in (select key from json_each(${ids}))`,
    ]);
  }
}

/** Removes the bytes of all removed files that a statement finds, a few at a time. Returns whether there were any. */
async function removeFound(find: (db: Db) => Promise<RemovedFile[]>, env: Removing): Promise<boolean> {
  for (let hasFound = false; ; hasFound = true) {
    const found = await find(env.db.withReserve);
    if (found.length === 0) return hasFound;
    await removeBytes(found, env);
  }
}

/**
 * Removes the bytes of what has been removed from the canvases of an owner, to make room for an upload or a canvas. `owner` is the SQL expression
 * of their id. Returns whether there were any. Removes nothing for a while after a restore.
 */
export async function makeRoom(owner: Sql, env: Removing): Promise<boolean> {
  if ((await heldUntil(env)) !== null) return false;
  const find = joined([
    sql`select removed_files.id, canvas_id as canvas, blob_key as key from canvases
        join removed_files on canvas_id = canvases.id where owner_id =`,
    owner,
    sql`limit ${AT_ONCE}`,
  ]);
  return removeFound((db) => db.all<RemovedFile>(...find), env);
}

/** Removes the bytes of files that were removed before a time in epoch milliseconds. Removes nothing for a while after a restore. */
export async function sweepRemoved(before: number, env: Removing): Promise<void> {
  if ((await heldUntil(env)) !== null) return;
  await removeFound(
    (db) => db.all<RemovedFile>`
      select id, canvas_id as canvas, blob_key as key from removed_files where removed_at <= ${before} limit ${AT_ONCE}`,
    env,
  );
}

/** Removes the bytes of all files that have been removed from a canvas which is removed for good. */
export async function removeAllOfCanvas(canvasId: string, env: Removing): Promise<void> {
  await removeFound(
    (db) => db.all<RemovedFile>`
      select id, canvas_id as canvas, blob_key as key from removed_files where canvas_id = ${canvasId} limit ${AT_ONCE}`,
    env,
  );
}
