import type { Task } from "../../async/work-lists.ts";
import { isFull } from "../../disk/disk-space.ts";
import type { Env } from "../../env.ts";
import { announceBlobs } from "../bundle-blobs.ts";
import { ownerOf } from "../owner-quotas.ts";
import {
  addVariants,
  isUncompressed,
  ownersOfUncompressed,
  type UncompressedBlob,
  uncompressedOf,
} from "../uncompressed-blobs.ts";
import { compress, type Effort, type StoreCopy } from "./representations.ts";

/** If more blobs of a person than this wait, they are compressed with less effort. */
const LONG_LIST = 64;

/**
 * Compresses a blob and records its variants, unless its last version has been removed meanwhile. A variant that would exceed the quota of
 * the owner is left out, and so are those of a blob that cannot be read. Rejects if the disk is full or the database is unavailable.
 */
async function compressBlob(
  blob: UncompressedBlob,
  effort: Effort,
  signal: AbortSignal,
  env: Env,
): Promise<void> {
  if (!(await isUncompressed(blob, env))) return;
  const store: StoreCopy = async (copy, source) => {
    if ((await announceBlobs(blob.canvasId, [copy], env)) !== "done") return null;
    return env.blobs.put(source(), copy);
  };
  const variants = await compress(blob, effort, store, signal, env).catch((error) => {
    if (signal.aborted || isFull(error)) throw error;
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

/**
 * Begins to make the compressed variants of the files of a canvas, in the background. The owner's other canvases are compressed, too. If
 * this fails, it is logged, and the next sweep begins again.
 */
export async function compressLater(canvasId: string, env: Env): Promise<void> {
  try {
    const owner = await ownerOf(canvasId, env);
    if (owner !== undefined) wake(owner.id, env);
  } catch (err) {
    env.log.error({ err }, "compressing the files of a version has not begun");
  }
}

/** Begins to make all compressed variants that are missing, such as those that another process has left. */
export async function resumeCompressions(env: Env): Promise<void> {
  for (const owner of await ownersOfUncompressed(env)) wake(owner, env);
}
