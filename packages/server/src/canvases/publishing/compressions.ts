import type { Task } from "../../async/background.ts";
import { newId } from "../../crypto/ids.ts";
import { isFull } from "../../disk/disk-space.ts";
import { type ClaimedBlob, endClaim } from "../../drivers/blob-references.ts";
import type { BlobSize } from "../../drivers/blobs/blobs.ts";
import { sql, Unavailable } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { addUses, announceBlobs, COMPRESSED, lockBytes, TO_COMPRESS } from "../bundle-blobs.ts";
import { compress, type Effort, type StoreCopy } from "./representations.ts";

/** A blob of a canvas of which compressed variants are to be made. */
interface UncompressedBlob extends BlobSize {
  canvasId: string;
}

/** Lists at most `limit` blobs of a person's canvases of which variants are to be made. Leaves out deleted canvases. */
const uncompressedOf = (ownerId: string, limit: number, { db }: Env): Promise<UncompressedBlob[]> =>
  db.all<UncompressedBlob>`
    select bundle_blobs.canvas_id as "canvasId", blob_key as key, size
    from canvases join bundle_blobs on bundle_blobs.canvas_id = canvases.id
    where owner_id = ${ownerId} and deleted_at is null and compressed = ${TO_COMPRESS} and uses > 0 limit ${limit}`;

/** Lists the owners of canvases with blobs of which variants are to be made. */
async function ownersOfUncompressed({ db }: Env): Promise<string[]> {
  const rows = await db.all<{ id: string }>`
    select distinct owner_id as id from bundle_blobs join canvases on canvases.id = canvas_id
    where compressed = 2 and deleted_at is null`;
  return rows.map(({ id }) => id);
}

/** Whether a canvas still uses a blob of which variants are to be made. */
async function isUncompressed({ canvasId, key }: UncompressedBlob, { db }: Env): Promise<boolean> {
  const row = await db.get`
    select 1 as known from bundle_blobs
    where canvas_id = ${canvasId} and blob_key = ${key} and compressed = ${TO_COMPRESS} and uses > 0`;
  return row !== undefined;
}

/**
 * Records the compressed variants of a blob, which are stored already, so that they are served. Null is a variant that is not kept. Does
 * nothing if the canvas no longer uses the blob, or has its variants, or if a claim no longer stands: the sweep then removes the ones that
 * were stored.
 */
async function addVariants(
  { canvasId, key }: UncompressedBlob,
  { br, gzip }: { br: ClaimedBlob | null; gzip: ClaimedBlob | null },
  { db }: Env,
): Promise<void> {
  const variants = [br, gzip].filter((variant) => variant !== null);
  const uses = variants.map(({ key, size }) => ({ key, size, uses: 1, compressible: false }));
  await db.batch([
    lockBytes(canvasId),
    ...variants.map(({ claim }) => endClaim(claim)),
    sql`update bundle_blobs set compressed = ${COMPRESSED}, br_key = ${br?.key ?? null}, br_size = ${br?.size ?? null},
        gzip_key = ${gzip?.key ?? null}, gzip_size = ${gzip?.size ?? null}
      where canvas_id = ${canvasId} and blob_key = ${key} and compressed = ${TO_COMPRESS} and uses > 0`,
    ...addUses(canvasId, uses),
  ]);
}

/** If more blobs of a person than this wait, they are compressed with less effort. */
const LONG_LIST = 64;

/**
 * Compresses a blob and records its variants, unless its last version has been removed meanwhile. A variant that would exceed the quota of
 * the owner is left out, and so are those of a blob that cannot be read. Rejects if the disk is full, or the database or the blobs are unavailable.
 */
async function compressBlob(
  blob: UncompressedBlob,
  effort: Effort,
  signal: AbortSignal,
  env: Env,
): Promise<void> {
  if (!(await isUncompressed(blob, env))) return;
  const store: StoreCopy = async (copy, source) => {
    const claim = newId();
    if ((await announceBlobs(blob.canvasId, claim, [copy], env)) !== "done") return null;
    return { ...(await env.blobs.put(source(), copy)), claim };
  };
  const variants = await compress(blob, effort, store, signal, env).catch((error) => {
    if (signal.aborted || isFull(error) || error instanceof Unavailable) throw error;
    env.log.error({ err: error, blob: blob.key }, "a file cannot be compressed");
    return { br: null, gzip: null };
  });
  await addVariants(blob, variants, env);
}

/** Returns the next compressions of a person's blobs. */
async function nextOf(owner: string, env: Env): Promise<Task[]> {
  const blobs = await uncompressedOf(owner, LONG_LIST + 1, env);
  const effort = blobs.length > LONG_LIST ? "fast" : "best";
  return blobs.map((blob) => (signal) => compressBlob(blob, effort, signal, env));
}

const wake = (owner: string, env: Env) => env.compressions.wake(owner, () => nextOf(owner, env));

/** Begins to make the compressed variants of the files of a person's canvases, in the background. */
export function compressLater(ownerId: string, env: Env): void {
  wake(ownerId, env);
}

/** Begins to make all compressed variants that are missing, such as those that another process has left. */
export async function resumeCompressions(env: Env): Promise<void> {
  for (const owner of await ownersOfUncompressed(env)) wake(owner, env);
}
