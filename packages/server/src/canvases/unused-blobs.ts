import { BlobReferences, CLAIM_MS, endOldClaims } from "../drivers/blob-references.ts";
import { asKeys, optional } from "../drivers/db/db.ts";
import { heldUntil } from "../instance/sweep-guard.ts";
import { BLOB_BYTES, lockBytes, releaseVariants } from "./bundle-blobs.ts";
import { blobColumnsOf, type Removing } from "./canvas-data.ts";

/** How long a blob without uses is kept, in milliseconds, for readers that have found it before. */
export const UNUSED_MS = CLAIM_MS;

/** The number of blobs that are looked up and removed at once. */
export const BLOBS_AT_ONCE = 1_000;

/**
 * Removes at most `BLOBS_AT_ONCE` blobs of a canvas that are unused since `before` (epoch milliseconds), first from the blob store and then
 * from the canvas and its bytes. Returns their number. If the canvas announces a blob again meanwhile, it keeps its row.
 */
async function removeSome(canvasId: string, before: number, env: Removing): Promise<number> {
  const { blobs, canvasData, clock } = env;
  const db = env.db.withReserve;
  await db.batch([lockBytes(canvasId), ...releaseVariants(canvasId, clock())]);
  const taken = await db.returning<{ key: string }>`
    update bundle_blobs set unused_at = 0
    where canvas_id = ${canvasId} and uses <= 0 and unused_at <= ${before}
      and blob_key in (select blob_key from bundle_blobs
        where canvas_id = ${canvasId} and uses <= 0 and unused_at <= ${before} limit ${BLOBS_AT_ONCE})
    returning blob_key as key`;
  if (taken.length === 0) return 0;
  const keys = taken.map(({ key }) => key);
  const references = new BlobReferences(db, blobColumnsOf(canvasData));
  await blobs.remove(keys, (moved) => references.among(moved));
  await db.batch([
    lockBytes(canvasId),
    optional`update bundle_bytes set bytes = bytes - (
        select coalesce(sum(size + ${BLOB_BYTES}), 0) from bundle_blobs
        where canvas_id = ${canvasId} and uses <= 0 and unused_at = 0 and blob_key in (select key from json_each(${asKeys(keys)})))
      where canvas_id = ${canvasId}`,
    optional`delete from bundle_blobs
      where canvas_id = ${canvasId} and uses <= 0 and unused_at = 0 and blob_key in (select key from json_each(${asKeys(keys)}))`,
  ]);
  return keys.length;
}

/**
 * Ends the claims that were made more than an hour ago, or before `before`. Then removes the blobs of a canvas, or of all canvases, that have
 * been without uses for as long; those of all canvases not for a while after a restore.
 */
export async function sweepUnused(
  env: Removing,
  only: string | null = null,
  before = env.clock() - UNUSED_MS,
): Promise<void> {
  // A claim is as old as the row that was inserted with it, so no blob is kept by a claim when its row goes.
  await endOldClaims(before, env.db.withReserve);
  // What a canvas that is purged had is removed nevertheless.
  if (only === null && (await heldUntil(env)) !== null) return;
  const canvases = await env.db.all<{ id: string }>`
    select distinct canvas_id as id from bundle_blobs
    where uses <= 0 and unused_at <= ${before} and canvas_id = coalesce(${only}, canvas_id)`;
  for (const { id } of canvases) while ((await removeSome(id, before, env)) === BLOBS_AT_ONCE);
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
        where canvas_id = ${canvasId} and (unused_at is null or unused_at > 0) limit ${BLOBS_AT_ONCE})`;
  } while (changed > 0);
  await sweepUnused(env, canvasId);
}
