import { createHash } from "node:crypto";
import { isId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { announceBlobs, type BlobSize } from "../bundle-blobs.ts";
import { ownerOf, refuseOver } from "../owner-quotas.ts";
import { findStagedBlob, holdBlob, type StagedDeployKey } from "../staged-deploys.ts";

const invalid = (message: string): never => refuse("INVALID_BODY", { message });

/**
 * Passes a stream through. Throws 400 `INVALID_BODY` as soon as the stream is longer than `size`, and at its end if it is shorter or its
 * hash is not `key`.
 */
async function* verified(
  { key, size }: BlobSize,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  let left = size;
  for await (const chunk of source) {
    left -= chunk.length;
    if (left < 0) invalid(`The body is longer than ${size} bytes.`);
    hash.update(chunk);
    yield chunk;
  }
  if (left > 0) invalid(`The body is shorter than ${size} bytes.`);
  if (hash.digest("hex") !== key) invalid("The body has another hash.");
}

/**
 * Finds a blob that a staged deploy lists, by its key. Throws 404 `NOT_FOUND` if the deploy does not list the blob, has expired or has been
 * finished.
 */
const requireStagedBlob = async (place: StagedDeployKey, key: string, env: Env) =>
  (isId(place.id) ? await findStagedBlob(place, key, env) : undefined) ?? refuse("NOT_FOUND");

/** Throws 409 `QUOTA_EXCEEDED` for the byte quota of a canvas's owner, or 404 `NOT_FOUND` if the canvas no longer exists. */
async function refuseFull(canvasId: string, env: Env): Promise<never> {
  const owner = await ownerOf(canvasId, env);
  return owner === undefined ? refuse("NOT_FOUND") : refuseOver("bundles.bytes.person", owner.id, env);
}

/**
 * Stores an uploaded blob of a staged deploy. `declared` is the Content-Length of the upload, or 0 if the header is absent. Returns null if
 * the deploy has the blob already. Throws 400 `INVALID_BODY` if the upload has another hash or size than the blob, and 409
 * `QUOTA_EXCEEDED` before it stores anything if the owner's quota of bytes would be exceeded.
 */
export async function receiveBlob(
  place: StagedDeployKey,
  key: string,
  declared: number,
  source: AsyncIterable<Uint8Array>,
  env: Env,
): Promise<BlobSize | null> {
  const blob = await requireStagedBlob(place, key, env);
  if (declared > blob.size) invalid(`The body is longer than ${blob.size} bytes.`);
  if (blob.held) {
    for await (const _ of verified(blob, source));
    return null;
  }
  if ((await announceBlobs(place.canvasId, [blob], env)) !== "done") await refuseFull(place.canvasId, env);
  return env.blobs.put(verified(blob, source));
}

/**
 * Records that a staged deploy has a blob. `blob` is the result of `receiveBlob`. Throws 404 `NOT_FOUND` if the deploy has expired or been
 * finished meanwhile, and 409 `QUOTA_EXCEEDED` if the owner's quota of bytes would be exceeded.
 */
export async function addBlob(
  place: StagedDeployKey,
  key: string,
  blob: BlobSize | null,
  env: Env,
): Promise<void> {
  if (blob !== null) {
    const outcome = await holdBlob(place, blob, env);
    if (outcome === "done") return;
    if (outcome === "full") await refuseFull(place.canvasId, env);
  }
  if (!(await requireStagedBlob(place, key, env)).held) refuse("NOT_FOUND");
}
