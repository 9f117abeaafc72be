import { claimStep } from "../drivers/blob-references.ts";
import type { BlobSize } from "../drivers/blobs/blobs.ts";
import { asKeys, type Optional, optional, type Sql, sql, sqlText, step } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { lockOwner, withinBytes } from "./owner-quotas.ts";

/**
 * What the parts of bundles count in the quota `bundles.bytes.person`, besides the bytes of their contents. The numbers are at least what
 * the parts take on a disk and in the database, with its indexes. Migration 0026 has the same numbers.
 */

/** What a blob counts besides its size, in bytes: the rest of the last block of its file, and its rows. */
export const BLOB_BYTES = 4096;

/** What the row of a file of a version, or of a blob of a staged deploy, counts, in bytes. */
export const ROW_BYTES = 512;

/** What each byte of the path of a file of a version counts, in bytes: a long path is stored in two pages of its own. */
export const PATH_FACTOR = 6;

/** Returns what the rows of files of a version count, in bytes. */
export const bytesOfRows = (files: { path: string }[]): number =>
  files.reduce((sum, { path }) => sum + ROW_BYTES + PATH_FACTOR * Buffer.byteLength(path), 0);

/**
 * Builds the batch step that locks the database row with the bytes of a canvas's bundles. It must come before the steps of a batch that
 * change them, so that such batches run one after the other.
 */
export const lockBytes = (canvasId: string): Sql => sql`
  insert into bundle_bytes (canvas_id, bytes) values (${canvasId}, 0)
  on conflict (canvas_id) do update set bytes = bundle_bytes.bytes`;

/** Builds the batch step that adds a number, which may be negative, to the bytes of a canvas's bundles. */
export const countBytes = (canvasId: string, bytes: number): Optional =>
  optional`update bundle_bytes set bytes = bytes + ${bytes} where canvas_id = ${canvasId}`;

/**
 * The blobs of a canvas: the contents of its files, and their compressed variants. A row of `bundle_blobs` exists before the blob is stored
 * and until the sweep has removed it, so that it counts in the quota of the owner for all this time (decision 049):
 *
 * 1. `announceBlobs` counts and claims a blob that will be stored. It has no uses, and is swept an hour later unless it gets one.
 * 2. `addUses` adds a use: a file of a version, a staged deploy, or the blob of which it is a variant.
 * 3. `usesRemover` ends uses. A blob without uses counts until `sweepUnused` has removed it.
 */

/** A blob with the number of its uses that are added. `compressible` is whether its compressed variants are to be made. */
export interface BlobUses extends BlobSize {
  uses: number;
  compressible: boolean;
}

/**
 * The values of the column `compressed`: no file needs variants, making them has been tried, or they are to be made. A variant that saves
 * too little has no key.
 */
export const [NOT_COMPRESSED, COMPRESSED, TO_COMPRESS] = [0, 1, 2];

/**
 * Finds the blobs with these keys that the canvas uses, and returns their keys and sizes. Does not find blobs of other canvases
 * (decision 031).
 */
export async function findBlobs(
  canvasId: string,
  keys: string[],
  { db }: Env,
): Promise<Map<string, BlobSize>> {
  const rows = await db.all<BlobSize>`
    select blob_key as key, size from bundle_blobs
    where canvas_id = ${canvasId} and uses > 0 and blob_key in (select key from json_each(${asKeys(keys)}))`;
  return new Map(rows.map((row) => [row.key, row]));
}

/**
 * Counts blobs that are about to be stored for a canvas, unless it uses them already, and claims them with the new id `claim`. Must be
 * called before they are stored. Does nothing and returns "full" if the owner's quota of bytes would be exceeded, or "gone" if the canvas
 * no longer exists. The batch that uses the blobs must end the claim.
 */
export async function announceBlobs(
  canvasId: string,
  claim: string,
  blobs: BlobSize[],
  env: Env,
): Promise<"done" | "full" | "gone"> {
  if (blobs.length === 0) return "done";
  const json = JSON.stringify(Object.fromEntries(blobs.map(({ key, size }) => [key, [size]])));
  const now = env.clock();
  return env.db.batch([
    step("gone", lockOwner(canvasId)),
    step("gone", lockBytes(canvasId)),
    optional`update bundle_bytes set bytes = bytes + (
        select coalesce(sum(case when blob_key is null then cast(value ->> 0 as bigint) + ${BLOB_BYTES}
          when uses <= 0 then greatest(cast(value ->> 0 as bigint) - bundle_blobs.size, 0) else 0 end), 0)
        from json_each(${json}) left join bundle_blobs on canvas_id = ${canvasId} and blob_key = key)
      where canvas_id = ${canvasId}`,
    // The size may be a wrong one that a client has declared, so the largest counts until the blob is stored and used.
    optional`insert into bundle_blobs (canvas_id, blob_key, size, uses, unused_at)
      select cast(${canvasId} as text), key, cast(value ->> 0 as bigint), 0, cast(${now} as bigint)
      from json_each(${json}) where true
      on conflict (canvas_id, blob_key) do update set
        size = case when bundle_blobs.uses > 0 then bundle_blobs.size else greatest(bundle_blobs.size, excluded.size) end,
        unused_at = case when bundle_blobs.uses > 0 then bundle_blobs.unused_at else excluded.unused_at end`,
    claimStep(
      claim,
      blobs.map(({ key }) => key),
      now,
    ),
    step("full", withinBytes(canvasId, env)),
  ]);
}

/**
 * Builds a batch step that rolls back the batch if the canvas no longer uses all of the blobs with these distinct keys. Later steps of the
 * batch can then refer to the blobs, because the sweep never removes a blob that a canvas uses.
 */
export const requireBlobs = (canvasId: string, keys: string[]): Sql => sql`
  update bundle_bytes set bytes = bytes where canvas_id = ${canvasId} and ${keys.length} = (
    select count(*) from bundle_blobs
    where canvas_id = ${canvasId} and uses > 0 and blob_key in (select key from json_each(${asKeys(keys)})))`;

/** Builds the batch steps that add uses of distinct blobs to a canvas, and correct the bytes of blobs whose size was not known. */
export function addUses(canvasId: string, blobs: BlobUses[]): Optional[] {
  const json = JSON.stringify(
    Object.fromEntries(
      blobs.map(({ key, size, uses, compressible }) => [
        key,
        [size, uses, compressible ? TO_COMPRESS : NOT_COMPRESSED],
      ]),
    ),
  );
  const bytes = blobs.reduce((sum, { size }) => sum + size + BLOB_BYTES, 0);
  return [
    optional`update bundle_bytes set bytes = bytes + ${bytes} - (
        select coalesce(sum(size + ${BLOB_BYTES}), 0) from bundle_blobs
        where canvas_id = ${canvasId} and blob_key in (select key from json_each(${json})))
      where canvas_id = ${canvasId}`,
    optional`insert into bundle_blobs (canvas_id, blob_key, size, uses, compressed)
      select cast(${canvasId} as text), key, cast(value ->> 0 as bigint), cast(value ->> 1 as bigint), cast(value ->> 2 as integer)
      from json_each(${json}) where true
      on conflict (canvas_id, blob_key) do update set size = excluded.size, unused_at = null,
        uses = bundle_blobs.uses + excluded.uses,
        compressed = case bundle_blobs.compressed when ${COMPRESSED} then bundle_blobs.compressed
          else greatest(bundle_blobs.compressed, excluded.compressed) end`,
  ];
}

/** Builds the step that notes the time at which blobs of a canvas have lost their last use. */
const markUnused = (canvasId: string, now: number): Optional => optional`
  update bundle_blobs set unused_at = ${now} where canvas_id = ${canvasId} and uses <= 0 and unused_at is null`;

/**
 * Builds the batch steps that end the uses of variants by blobs without uses. A variant can have variants, too, if it has been uploaded as
 * a file: these are released by the next call.
 */
export const releaseVariants = (canvasId: string, now: number): Optional[] => [
  markUnused(canvasId, now),
  optional`update bundle_blobs set uses = bundle_blobs.uses - ended.uses
    from (select variant, count(*) as uses from (
        select br_key as variant from bundle_blobs
          where canvas_id = ${canvasId} and uses <= 0 and compressed > 0 and unused_at is not null
        union all select gzip_key from bundle_blobs
          where canvas_id = ${canvasId} and uses <= 0 and compressed > 0 and unused_at is not null) as variants
      where variant is not null group by variant) as ended
    where bundle_blobs.canvas_id = ${canvasId} and bundle_blobs.blob_key = ended.variant
      and bundle_blobs.blob_key in (
        select br_key from bundle_blobs where canvas_id = ${canvasId} and uses <= 0 and compressed > 0 and br_key is not null
        union all select gzip_key from bundle_blobs
          where canvas_id = ${canvasId} and uses <= 0 and compressed > 0 and gzip_key is not null)`,
  optional`update bundle_blobs set compressed = ${NOT_COMPRESSED}, br_key = null, br_size = null, gzip_key = null, gzip_size = null
    where canvas_id = ${canvasId} and uses <= 0 and compressed > 0 and unused_at is not null`,
  markUnused(canvasId, now),
];

/**
 * Returns a function that builds batch steps. The steps subtract from the use counts of a canvas's blobs. `ended` is a select statement with
 * the columns `blob_key` (only keys in `keys`) and `uses` (the number to subtract); `values` are bound to its `?`. `now` is the time in
 * epoch milliseconds.
 */
export function usesRemover(
  ended: string,
): (canvasId: string, keys: string[], now: number, ...values: string[]) => Optional[] {
  const subtract = sqlText(
    `update bundle_blobs set uses = bundle_blobs.uses - ended.uses from (${ended}) as ended`,
    "where bundle_blobs.blob_key = ended.blob_key and bundle_blobs.canvas_id = ?",
    // Without this condition, SQLite would read every blob of the canvas.
    "and bundle_blobs.blob_key in (select key from json_each(?))",
  );
  return (canvasId, keys, now, ...values) => [
    optional(subtract, ...values, canvasId, asKeys(keys)),
    ...releaseVariants(canvasId, now),
  ];
}
