import type { StagedDeployCreated } from "@easel/protocol/types";
import { isId, newId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { type BlobSize, findBlobs } from "../bundle-blobs.ts";
import { ownerOf, refuseOver, requireBytes } from "../owner-quotas.ts";
import { isCurrentRelease } from "../releases.ts";
import {
  findStaged,
  insertStaged,
  missingOf,
  type StagedDeployKey,
  type StagedFile,
} from "../staged-deploys.ts";
import { BLOB_BYTES } from "../stored-bytes.ts";
import { requireExpected } from "./expected-version.ts";
import { selectFiles } from "./select-files.ts";

/** The request that begins a staged deploy: the files that the client will upload one by one, and options. */
export interface Manifest {
  files: StagedFile[];
  expectedVersion?: string | null | undefined;
  message?: string | null | undefined;
  releaseId?: string | null | undefined;
}

const invalid = (message: string): never => refuse("INVALID_BODY", { message });

/** Returns the distinct blobs of files, by their hash. Throws 400 `INVALID_BODY` if files with the same hash differ in size. */
function blobsOf(files: StagedFile[]): Map<string, BlobSize> {
  const blobs = new Map<string, BlobSize>();
  for (const { key, size } of files) {
    const known = blobs.get(key);
    if (known !== undefined && known.size !== size) invalid(`\`${key}\` has two sizes.`);
    blobs.set(key, { key, size });
  }
  return blobs;
}

/**
 * Begins a staged deploy. Returns the hashes of the blobs that the client must upload: those that the canvas does not have, even if another
 * canvas has them. Throws 400 `INVALID_BODY` for files that break a rule of bundles, 409 `VERSION_CONFLICT`, 409 `QUOTA_EXCEEDED` if the
 * owner's quota of bytes would be exceeded, 409 `KEY_LIMIT` if the canvas has too many unfinished staged deploys, and 404 `NOT_FOUND` if
 * the canvas no longer exists.
 */
export async function stageDeploy(
  canvasId: string,
  userId: string,
  manifest: Manifest,
  env: Env,
): Promise<StagedDeployCreated> {
  const { expectedVersion, message = null, releaseId = null } = manifest;
  if (!(await isCurrentRelease(canvasId, releaseId, env)))
    await requireExpected(canvasId, expectedVersion, env);
  const { files, leftOut, warnings } = await selectFiles(manifest.files);
  const blobs = blobsOf(files);
  const known = await findBlobs(canvasId, [...blobs.keys()], env);
  let added = 0;
  for (const { key, size } of blobs.values()) {
    const has = known.get(key);
    if (has === undefined) added += size + BLOB_BYTES;
    else if (has.size !== size) invalid(`\`${key}\` is the hash of ${has.size} bytes.`);
  }
  await requireBytes(canvasId, added, env);
  const id = newId();
  const staged = { id, canvasId, userId, files, expectedVersion, message, releaseId };
  const outcome = await insertStaged(staged, [...blobs.values()], env);
  if (outcome === "gone") refuse("NOT_FOUND");
  const owner = outcome === "full" ? await ownerOf(canvasId, env) : undefined;
  if (owner !== undefined) await refuseOver("bundles.bytes.person", owner.id, env);
  if (outcome !== "done")
    refuse("KEY_LIMIT", {
      message: "The canvas has too many open staged deploys. They expire after an hour.",
    });
  return { id, missing: await missingOf(id, env), leftOut, warnings };
}

/**
 * Returns the hashes of the blobs that still have to be uploaded for a staged deploy. Throws 404 `NOT_FOUND` if the deploy has expired or
 * been published.
 */
export async function missingBlobs({ id, canvasId, userId }: StagedDeployKey, env: Env): Promise<string[]> {
  const deploy = isId(id) ? await findStaged(id, canvasId, userId, env) : undefined;
  if (deploy === undefined || deploy.finished !== null) return refuse("NOT_FOUND");
  return missingOf(id, env);
}
