import { BlobReferences } from "../drivers/blob-references.ts";
import { asKeys, optional } from "../drivers/db/db.ts";
import { BLOB_BYTES, lockBytes, releaseVariants } from "./bundle-blobs.ts";
import { blobColumnsOf, type Removing } from "./canvas-data.ts";

/**
 * How long a blob without uses is kept, in milliseconds. An upload that has announced a blob stores and uses it within this time, and so
 * does an upload that has stored it without announcing it, such as that of a page's file.
 */
export const UNUSED_MS = 60 * 60 * 1000;

const AT_ONCE = 100;

/**
 * Removes at most `AT_ONCE` blobs of a canvas that are unused since `before` (epoch milliseconds), first from the blob store and then from
 * the canvas and its bytes. Returns their number. If the canvas announces a blob again meanwhile, it keeps its row.
 */
async function removeSome(canvasId: string, before: number, env: Removing): Promise<number> {
  const { blobs, canvasData, clock } = env;
  const db = env.db.withReserve;
  await db.batch([lockBytes(canvasId), ...releaseVariants(canvasId, clock())]);
  const found = await db.all<{ key: string }>`
    select blob_key as key from bundle_blobs
    where canvas_id = ${canvasId} and uses <= 0 and unused_at <= ${before} limit ${AT_ONCE}`;
  const keys = asKeys(found.map(({ key }) => key));
  const taken = await db.returning<{ key: string }>`
    update bundle_blobs set unused_at = 0
    where canvas_id = ${canvasId} and uses <= 0 and unused_at <= ${before}
      and blob_key in (select key from json_each(${keys})) returning blob_key as key`;
  const references = new BlobReferences(db, blobColumnsOf(canvasData));
  for (const { key } of taken) {
    const blob = (await references.to(key)) ? null : await blobs.find(key, before);
    if (blob !== null) await blobs.remove([blob]);
  }
  await db.batch([
    lockBytes(canvasId),
    optional`update bundle_bytes set bytes = bytes - (
        select coalesce(sum(size + ${BLOB_BYTES}), 0) from bundle_blobs
        where canvas_id = ${canvasId} and uses <= 0 and unused_at = 0 and blob_key in (select key from json_each(${keys})))
      where canvas_id = ${canvasId}`,
    optional`delete from bundle_blobs
      where canvas_id = ${canvasId} and uses <= 0 and unused_at = 0 and blob_key in (select key from json_each(${keys}))`,
  ]);
  return found.length;
}

/** Removes the blobs of a canvas, or of all canvases, that have been without uses for an hour, or since `before`. */
export async function sweepUnused(
  env: Removing,
  only: string | null = null,
  before = env.clock() - UNUSED_MS,
): Promise<void> {
  const canvases = await env.db.all<{ id: string }>`
    select distinct canvas_id as id from bundle_blobs
    where uses <= 0 and unused_at <= ${before} and canvas_id = coalesce(${only}, canvas_id)`;
  for (const { id } of canvases) while ((await removeSome(id, before, env)) === AT_ONCE);
}

/**
 * Removes all blobs of a canvas that is being removed for good, whether they have uses or not, from the blob store and from the bytes of
 * its owner.
 */
export async function removeAllBlobs(canvasId: string, env: Removing): Promise<void> {
  let changed: number;
  do {
    changed = await env.db.withReserve.run`
      update bundle_blobs set uses = 0, unused_at = 0, compressed = 0,
        br_key = null, br_size = null, gzip_key = null, gzip_size = null
      where canvas_id = ${canvasId} and blob_key in (select blob_key from bundle_blobs
        where canvas_id = ${canvasId} and (unused_at is null or unused_at > 0) limit ${AT_ONCE})`;
  } while (changed > 0);
  await sweepUnused(env, canvasId);
}
