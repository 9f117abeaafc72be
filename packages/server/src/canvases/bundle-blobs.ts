import { asKeys, optional, type Step, sql, statementText } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";

/** The key and the size in bytes of a stored blob. */
export interface BlobSize {
  key: string;
  size: number;
}

/**
 * The stored bytes of a file of a bundle, with their compressed variants `br` and `gzip`. A variant that would save too little is null. If
 * `compressed` is false, compression has not been tried yet and both variants are null.
 */
export interface BundleBlob extends BlobSize {
  compressed: boolean;
  br: BlobSize | null;
  gzip: BlobSize | null;
}

interface Row extends BlobSize {
  compressed: number;
  br_key: string | null;
  br_size: number;
  gzip_key: string | null;
  gzip_size: number;
}

const sizeOf = (key: string | null, size: number): BlobSize | null => (key === null ? null : { key, size });

/**
 * Finds the blobs with these keys among the blobs that the bundles of a canvas use. Returns a map from key to blob. Does not find blobs
 * that only other canvases use.
 */
export async function findBlobs(
  canvasId: string,
  keys: string[],
  { db }: Env,
): Promise<Map<string, BundleBlob>> {
  const rows = await db.all<Row>`
    select blob_key as key, size, compressed, br_key, br_size, gzip_key, gzip_size from bundle_blobs
    where canvas_id = ${canvasId} and blob_key in (select key from json_each(${asKeys(keys)}))`;
  return new Map(
    rows.map(({ key, size, compressed, br_key, br_size, gzip_key, gzip_size }) => [
      key,
      {
        key,
        size,
        compressed: compressed === 1,
        br: sizeOf(br_key, br_size),
        gzip: sizeOf(gzip_key, gzip_size),
      },
    ]),
  );
}

/**
 * Builds the batch step that locks the database row with the total size of a canvas's blobs. It must come before the steps of a batch that
 * change this size or the blobs of the canvas, so that such batches run one after the other.
 */
export const lockBytes = (canvasId: string): Step => sql`
  insert into bundle_bytes (canvas_id, bytes) values (${canvasId}, 0)
  on conflict (canvas_id) do update set bytes = bundle_bytes.bytes`;

/**
 * Builds a batch step that rolls back the batch if the canvas no longer has all of the blobs with these distinct keys. Later steps of the
 * batch can then refer to the blobs, because the sweep never removes a blob that a canvas uses.
 */
export const requireBlobs = (canvasId: string, keys: string[]): Step => sql`
  update bundle_bytes set bytes = bytes where canvas_id = ${canvasId} and ${keys.length} = (
    select count(*) from bundle_blobs
    where canvas_id = ${canvasId} and blob_key in (select key from json_each(${asKeys(keys)})))`;

/**
 * Builds the batch steps that count further uses of blobs by a canvas: they add `uses` to the stored count of each blob. If the canvas did
 * not use a blob before, they also add the size of the blob to the canvas's total.
 */
export function addUses(canvasId: string, used: Iterable<{ blob: BundleBlob; uses: number }>): Step[] {
  const rows = Object.fromEntries(
    Array.from(used, ({ blob: { key, size, compressed, br, gzip }, uses }) => [
      key,
      [size, uses, Number(compressed), br?.key, br?.size, gzip?.key, gzip?.size].map(
        (value) => value ?? null,
      ),
    ]),
  );
  const json = JSON.stringify(rows);
  return [
    optional`update bundle_bytes set bytes = bytes + (
        select coalesce(sum(cast(value ->> 0 as bigint)), 0) from json_each(${json}) where not exists (
          select 1 from bundle_blobs where canvas_id = ${canvasId} and blob_key = key))
      where canvas_id = ${canvasId}`,
    sql`insert into bundle_blobs (canvas_id, blob_key, size, uses, compressed, br_key, br_size, gzip_key, gzip_size)
      select cast(${canvasId} as text), key, cast(value ->> 0 as bigint), cast(value ->> 1 as bigint),
        cast(value ->> 2 as integer), value ->> 3, cast(value ->> 4 as bigint), value ->> 5, cast(value ->> 6 as bigint)
      from json_each(${json}) where true
      on conflict (canvas_id, blob_key) do update set uses = bundle_blobs.uses + excluded.uses,
        br_key = case bundle_blobs.compressed when 1 then bundle_blobs.br_key else excluded.br_key end,
        br_size = case bundle_blobs.compressed when 1 then bundle_blobs.br_size else excluded.br_size end,
        gzip_key = case bundle_blobs.compressed when 1 then bundle_blobs.gzip_key else excluded.gzip_key end,
        gzip_size = case bundle_blobs.compressed when 1 then bundle_blobs.gzip_size else excluded.gzip_size end,
        compressed = case bundle_blobs.compressed when 1 then 1 else excluded.compressed end`,
  ];
}

/**
 * Returns a function that builds batch steps. The steps subtract from the use counts of a canvas's blobs, and delete the blobs whose count
 * reaches 0. `held` is a select statement with the columns `blob_key` (only keys in `keys`) and `uses` (the number to subtract); `values`
 * are bound to its `?`.
 */
export function usesRemover(held: string): (canvasId: string, keys: string[], ...values: string[]) => Step[] {
  const subtract = statementText(
    `update bundle_blobs set uses = bundle_blobs.uses - held.uses from (${held}) as held`,
    "where bundle_blobs.blob_key = held.blob_key and bundle_blobs.canvas_id = ?",
    // Without this condition, SQLite would read every blob of the canvas.
    "and bundle_blobs.blob_key in (select key from json_each(?))",
  );
  return (canvasId, keys, ...values) => [
    { optional: [subtract, ...values, canvasId, asKeys(keys)] },
    optional`update bundle_bytes set bytes = bytes - (
        select coalesce(sum(size), 0) from bundle_blobs where canvas_id = ${canvasId} and uses <= 0)
      where canvas_id = ${canvasId}`,
    optional`delete from bundle_blobs where canvas_id = ${canvasId} and uses <= 0`,
  ];
}
