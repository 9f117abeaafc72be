import { isId } from "../../crypto/ids.ts";
import { Content, OtherContent } from "../../drivers/blobs/blobs.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { announceBlobs, type BlobSize } from "../bundle-blobs.ts";
import { ownerOf, refuseOver } from "../owner-quotas.ts";
import { findStagedBlob, holdBlob, type StagedDeployKey } from "../staged-deploys.ts";

const invalid = (message: string): never => refuse("INVALID_BODY", { message });

/** Converts the error for bytes that are not those of a blob to a refusal with 400 `INVALID_BODY`, and throws it; others unchanged. */
function asRefusal(error: unknown, size: number): never {
  if (!(error instanceof OtherContent)) throw error;
  return invalid(
    error.differs === "hash"
      ? "The body has another hash."
      : `The body is ${error.differs} than ${size} bytes.`,
  );
}

/** Reads bytes to their end without storing them. Throws `OtherContent` if they are not those of the blob. */
async function compare(blob: BlobSize, source: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of new Content(blob).pass(source));
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
    await compare(blob, source).catch((error) => asRefusal(error, blob.size));
    return null;
  }
  if ((await announceBlobs(place.canvasId, [blob], env)) !== "done") await refuseFull(place.canvasId, env);
  const { size } = blob;
  return env.blobs.put(source, { key, size }).catch((error) => asRefusal(error, size));
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
