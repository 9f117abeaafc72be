import { sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { addUses, type BlobSize, COMPRESSED, TO_COMPRESS } from "./bundle-blobs.ts";
import { lockBytes } from "./stored-bytes.ts";

/** A blob of a canvas of which compressed variants are to be made. */
export interface UncompressedBlob extends BlobSize {
  canvasId: string;
}

/** Lists at most `limit` blobs of a person's canvases of which variants are to be made. Leaves out deleted canvases. */
export const uncompressedOf = (ownerId: string, limit: number, { db }: Env): Promise<UncompressedBlob[]> =>
  db.all<UncompressedBlob>`
    select bundle_blobs.canvas_id as "canvasId", blob_key as key, size
    from canvases join bundle_blobs on bundle_blobs.canvas_id = canvases.id
    where owner_id = ${ownerId} and deleted_at is null and compressed = ${TO_COMPRESS} and uses > 0 limit ${limit}`;

/** Lists the owners of canvases with blobs of which variants are to be made. */
export async function ownersOfUncompressed({ db }: Env): Promise<string[]> {
  const rows = await db.all<{ id: string }>`
    select distinct owner_id as id from bundle_blobs join canvases on canvases.id = canvas_id
    where compressed = 2 and deleted_at is null`;
  return rows.map(({ id }) => id);
}

/** Whether a canvas still uses a blob of which variants are to be made. */
export async function isUncompressed({ canvasId, key }: UncompressedBlob, { db }: Env): Promise<boolean> {
  const row = await db.get`
    select 1 as known from bundle_blobs
    where canvas_id = ${canvasId} and blob_key = ${key} and compressed = ${TO_COMPRESS} and uses > 0`;
  return row !== undefined;
}

/**
 * Records the compressed variants of a blob, which are stored already, so that they are served. Null is a variant that is not kept. Does
 * nothing if the canvas no longer uses the blob, or has its variants: the sweep then removes the ones that were stored.
 */
export async function addVariants(
  { canvasId, key }: UncompressedBlob,
  { br, gzip }: { br: BlobSize | null; gzip: BlobSize | null },
  { db }: Env,
): Promise<void> {
  const variants = [br, gzip].filter((variant) => variant !== null);
  const uses = variants.map((variant) => ({ ...variant, uses: 1, compressible: false }));
  await db.batch([
    lockBytes(canvasId),
    sql`update bundle_blobs set compressed = ${COMPRESSED}, br_key = ${br?.key ?? null}, br_size = ${br?.size ?? null},
        gzip_key = ${gzip?.key ?? null}, gzip_size = ${gzip?.size ?? null}
      where canvas_id = ${canvasId} and blob_key = ${key} and compressed = ${TO_COMPRESS} and uses > 0`,
    ...addUses(canvasId, uses),
  ]);
}
