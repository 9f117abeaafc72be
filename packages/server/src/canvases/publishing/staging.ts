import { Readable } from "node:stream";
import type { StagedDeployCreated, UploadedFiles } from "@easel/protocol/types";
import { inParallel } from "../../async/task-pool.ts";
import type { Work } from "../../async/work.ts";
import { isId, newId } from "../../crypto/ids.ts";
import { releaseClaim } from "../../drivers/blob-references.ts";
import { type BlobSize, Content, OtherContent } from "../../drivers/blobs/blobs.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { announceBlobs, BLOB_BYTES, findBlobs } from "../bundle-blobs.ts";
import { ownerOf, refuseOver, requireBytes } from "../owner-quotas.ts";
import {
  clearFinished,
  expireStaged,
  type FinishedDeploy,
  findStaged,
  findStagedBlobs,
  finishStep,
  insertStaged,
  markUploaded,
  missingOf,
  removeStaged,
  type StagedDeploy,
  type StagedDeployKey,
  type StagedFile,
} from "../staged-deploys.ts";
import {
  expectedStep,
  finishAsCurrent,
  isCurrentRelease,
  otherReleaseSteps,
  requireExpected,
} from "../versions.ts";
import type { BundleFile } from "./bundle.ts";
import { contentWarnings, keepStored, publishStored, storeVersion, tidyUp } from "./deploy.ts";
import { selectFiles } from "./select-files.ts";

/** The request that begins a staged deploy: the files that the client will upload, and options. */
export interface Manifest {
  files: StagedFile[];
  expectedVersion?: string | null | undefined;
  message?: string | null | undefined;
  releaseId?: string | null | undefined;
}

/** The number of blobs that are looked up without a pause. */
const BLOBS_AT_ONCE = 1_000;

/** The maximum number of files of a request that are stored concurrently. */
const WIDTH = 8;

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
  work: Work,
  env: Env,
): Promise<StagedDeployCreated> {
  const { expectedVersion, message = null, releaseId = null } = manifest;
  if (!(await isCurrentRelease(canvasId, releaseId, env)))
    await requireExpected(canvasId, expectedVersion, env);
  const { files, leftOut, warnings } = await selectFiles(manifest.files, () => work.pause());
  const blobs = blobsOf(files);
  await work.pause();
  const known = new Map<string, BlobSize>();
  const keys = [...blobs.keys()];
  for (let from = 0; from < keys.length; from += BLOBS_AT_ONCE) {
    const some = keys.slice(from, from + BLOBS_AT_ONCE);
    for (const [key, blob] of await findBlobs(canvasId, some, env)) known.set(key, blob);
    await work.pause();
  }
  let added = 0;
  for (const { key, size } of blobs.values()) {
    const has = known.get(key);
    if (has === undefined) added += size + BLOB_BYTES;
    else if (has.size !== size) invalid(`\`${key}\` is the hash of ${has.size} bytes.`);
  }
  await requireBytes(canvasId, added, env);
  const id = newId();
  const staged = { id, canvasId, userId, files, expectedVersion, message, releaseId };
  const outcome = await insertStaged(staged, [...blobs.values()], work, env);
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

/** Returns what is wrong with bytes that are not those of a blob. Throws any other error. */
function faultOf(error: unknown, size: number): string {
  if (!(error instanceof OtherContent)) throw error;
  return error.differs === "hash" ? "have another hash" : `are ${error.differs} than ${size} bytes`;
}

/** Reads bytes to their end without storing them. Throws `OtherContent` if they are not those of the blob. */
async function compare(blob: BlobSize, source: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of new Content(blob).pass(source));
}

/** Finds blobs that a staged deploy lists. Throws 404 `NOT_FOUND` if it lists none of them, has expired or has been finished. */
async function requireStagedBlobs(deployKey: StagedDeployKey, keys: string[], env: Env) {
  const found = isId(deployKey.id) ? await findStagedBlobs(deployKey, keys, env) : undefined;
  return found === undefined || found.size === 0 ? refuse("NOT_FOUND") : found;
}

/** Throws 409 `QUOTA_EXCEEDED` for the byte quota of a canvas's owner, or 404 `NOT_FOUND` if the canvas no longer exists. */
async function refuseFull(canvasId: string, env: Env): Promise<never> {
  const owner = await ownerOf(canvasId, env);
  return owner === undefined ? refuse("NOT_FOUND") : refuseOver("bundles.bytes.person", owner.id, env);
}

/** Announces blobs and returns their claim. Throws 409 `QUOTA_EXCEEDED` if the owner's quota of bytes would be exceeded. */
async function announce(canvasId: string, blobs: BlobSize[], env: Env): Promise<string> {
  const claim = newId();
  if ((await announceBlobs(canvasId, claim, blobs, env)) !== "done") await refuseFull(canvasId, env);
  return claim;
}

/** Files that have been received for a staged deploy. `stored` are those that the deploy did not have, stored under the claim. */
export interface ReceivedFiles extends UploadedFiles {
  claim: string;
  stored: BlobSize[];
}

/**
 * Stores the bytes of a file of a staged deploy, whose hash is `key`. `declared` is the Content-Length of the upload, or 0 if the header is
 * absent. Throws 400 `INVALID_BODY` if the bytes have another hash or size, 404 `NOT_FOUND` if the deploy does not list the hash, has expired
 * or been finished, and 409 `QUOTA_EXCEEDED` before it stores anything if the owner's quota of bytes would be exceeded.
 */
export async function receiveFile(
  deployKey: StagedDeployKey,
  key: string,
  declared: number,
  source: AsyncIterable<Uint8Array>,
  env: Env,
): Promise<ReceivedFiles> {
  const blob = (await requireStagedBlobs(deployKey, [key], env)).get(key) ?? refuse("NOT_FOUND");
  const { size, isUploaded } = blob;
  if (declared > size) invalid(`The bytes are longer than ${size} bytes.`);
  const claim = isUploaded ? "" : await announce(deployKey.canvasId, [blob], env);
  try {
    await (isUploaded ? compare(blob, source) : env.blobs.put(source, { key, size }));
  } catch (error) {
    if (!isUploaded) await releaseClaim(claim, env);
    invalid(`The bytes ${faultOf(error, size)}.`);
  }
  return { claim, stored: isUploaded ? [] : [blob], uploaded: [key], refused: [] };
}

/**
 * Stores files of a staged deploy that are sent together, by their hashes. Refuses files that the deploy does not list, or whose bytes
 * have another hash or size, and stores the others. Throws 404 `NOT_FOUND` if the deploy lists none of them, has expired or been finished, and
 * 409 `QUOTA_EXCEEDED` before it stores anything if the owner's quota of bytes would be exceeded.
 */
export async function receiveFiles(
  deployKey: StagedDeployKey,
  files: Map<string, Buffer>,
  env: Env,
): Promise<ReceivedFiles> {
  const listed = await requireStagedBlobs(deployKey, [...files.keys()], env);
  const missing = [...listed.values()].filter(
    ({ key, size, isUploaded }) => !isUploaded && files.get(key)?.length === size,
  );
  const received: ReceivedFiles = { claim: "", stored: [], uploaded: [], refused: [] };
  if (missing.length > 0) received.claim = await announce(deployKey.canvasId, missing, env);
  const receive = async ([sha256, bytes]: [string, Buffer]) => {
    const blob = listed.get(sha256);
    if (blob === undefined) {
      received.refused.push({ sha256, code: "NOT_FOUND", message: "The deploy does not list this hash." });
      return;
    }
    try {
      const { key, size } = blob;
      const source = Readable.from([bytes]);
      if (missing.includes(blob)) {
        await env.blobs.put(source, { key, size });
        received.stored.push(blob);
      } else await compare(blob, source);
      received.uploaded.push(key);
    } catch (error) {
      const message = `The bytes ${faultOf(error, blob.size)}.`;
      received.refused.push({ sha256, code: "INVALID_BODY", message });
    }
  };
  let isClaimUsed = false;
  try {
    await inParallel([...files], WIDTH, receive);
    isClaimUsed = received.stored.length > 0;
  } finally {
    if (missing.length > 0 && !isClaimUsed) await releaseClaim(received.claim, env);
  }
  return received;
}

/**
 * Records that a staged deploy has files that have been received. Throws 404 `NOT_FOUND` if the deploy has expired or been finished meanwhile,
 * 409 `QUOTA_EXCEEDED` if the owner's quota of bytes would be exceeded, and 503 `UNAVAILABLE` if the upload has taken so long that its claim
 * has ended.
 */
export async function addFiles(
  deployKey: StagedDeployKey,
  { claim, stored, uploaded }: ReceivedFiles,
  env: Env,
): Promise<void> {
  if (stored.length > 0 && (await markStored(deployKey, claim, stored, env))) return;
  if (uploaded.length > 0) await requireStagedBlobs(deployKey, uploaded, env);
}

/**
 * Records that a staged deploy has files that have been stored under a claim, and ends the claim. Returns false if other requests have
 * uploaded all of them meanwhile. Throws as `addFiles`.
 */
async function markStored(
  deployKey: StagedDeployKey,
  claim: string,
  stored: BlobSize[],
  env: Env,
): Promise<boolean> {
  let isMarked = false;
  try {
    for (let left = stored; left.length > 0; ) {
      const outcome = await markUploaded(deployKey, claim, left, env);
      isMarked = outcome === "done";
      if (isMarked) break;
      if (outcome === "lost") refuse("UNAVAILABLE");
      if (outcome === "full") await refuseFull(deployKey.canvasId, env);
      // Another request may have uploaded some of them meanwhile.
      const keys = left.map(({ key }) => key);
      const listed = await requireStagedBlobs(deployKey, keys, env);
      const rest = left.filter(({ key }) => listed.get(key)?.isUploaded === false);
      if (rest.length === left.length) refuse("NOT_FOUND");
      left = rest;
    }
    return isMarked;
  } finally {
    if (!isMarked) await releaseClaim(claim, env);
  }
}

const requireStaged = async ({ id, canvasId, userId }: StagedDeployKey, env: Env) =>
  (isId(id) ? await findStaged(id, canvasId, userId, env) : undefined) ?? refuse("NOT_FOUND");

/** Throws 409 `BLOBS_MISSING` if blobs of a staged deploy have not been uploaded. The error lists their hashes. */
async function requireComplete(id: string, env: Env): Promise<void> {
  const missing = await missingOf(id, env);
  if (missing.length > 0) refuse("BLOBS_MISSING", { missing });
}

/**
 * Returns the files of a staged deploy as files of a bundle. The bytes of these files are in blobs already, so their `open` is called only
 * if the canvas has lost a blob since the upload. Then `open` throws 409 `BLOBS_MISSING`.
 */
const filesOf = ({ files }: StagedDeploy): BundleFile[] =>
  files.map((file) => ({ ...file, open: async () => refuse("BLOBS_MISSING", { missing: [file.key] }) }));

async function storeStaged(
  deploy: StagedDeploy,
  publish: boolean,
  signal: AbortSignal,
  env: Env,
): Promise<FinishedDeploy> {
  const { id, canvasId, userId, expectedVersion, message, releaseId } = deploy;
  const warnings = await warningsOf(deploy, env);
  const version = await storeVersion(canvasId, userId, filesOf(deploy), env, { message, releaseId, signal });
  const finished = { version: version.id, warnings, unchanged: false };
  const conditions = [finishStep(id, finished)];
  if (releaseId !== null) conditions.unshift(...otherReleaseSteps(canvasId, releaseId));
  if (expectedVersion !== undefined) conditions.unshift(expectedStep(canvasId, expectedVersion));
  await (publish ? publishStored : keepStored)(version, env, conditions);
  return finished;
}

/** Returns the warnings about the content of a staged deploy whose bytes have all been uploaded. */
const warningsOf = ({ files }: StagedDeploy, env: Env): Promise<string[]> =>
  contentWarnings(
    files.map((file) => ({
      ...file,
      open: async () => (await env.blobs.get(file.key)) ?? refuse("NOT_FOUND"),
    })),
    env,
  );

/**
 * Stores the version of a staged deploy and, if `publish` is true, publishes it. Returns the id of the version, and warnings for people. A
 * repeated or concurrent call does nothing and returns the same, whatever its `publish`. If the published version has the release of the
 * deploy, stores nothing and returns that version. Throws 404 `NOT_FOUND` if the deploy has expired, 409 `BLOBS_MISSING` if a blob has not
 * been uploaded, and 409 `VERSION_CONFLICT` if the published version is not the one that the client expects. If `signal` aborts before the
 * version is there, stops and throws its reason.
 */
export const finishDeploy = (
  deployKey: StagedDeployKey,
  publish: boolean,
  env: Env,
  signal?: AbortSignal,
): Promise<FinishedDeploy> =>
  env.deploys.run(
    deployKey.userId,
    async (signal) => {
      const deploy = await requireStaged(deployKey, env);
      return deploy.finished ?? (await storeOnce(deployKey, deploy, publish, signal, env));
    },
    signal,
  );

/** Finishes a deploy whose release is published already. Returns undefined if another one is. */
async function keepCurrent(deploy: StagedDeploy, env: Env): Promise<FinishedDeploy | undefined> {
  const finished = await finishAsCurrent(deploy, env);
  if (finished !== undefined) await tidyUp(clearFinished(deploy, finished, env), env);
  return finished;
}

async function storeOnce(
  deployKey: StagedDeployKey,
  deploy: StagedDeploy,
  publish: boolean,
  signal: AbortSignal,
  env: Env,
): Promise<FinishedDeploy> {
  const current = await keepCurrent(deploy, env);
  if (current !== undefined) return current;
  await requireComplete(deploy.id, env);
  await requireExpected(deploy.canvasId, deploy.expectedVersion, env);
  try {
    const finished = await storeStaged(deploy, publish, signal, env);
    await tidyUp(clearFinished(deploy, finished, env), env);
    return finished;
  } catch (error) {
    // A concurrent request may have finished the same deploy, or another deploy may have been published meanwhile.
    const { finished } = await requireStaged(deployKey, env);
    const kept = finished ?? (await keepCurrent(deploy, env));
    if (kept !== undefined) return kept;
    await requireExpected(deploy.canvasId, deploy.expectedVersion, env);
    throw error;
  }
}

/**
 * Removes a staged deploy that has not been published, and releases the blobs that were uploaded for it. Throws 404 `NOT_FOUND` if the deploy
 * has expired or been published.
 */
export async function cancelDeploy(deployKey: StagedDeployKey, env: Env): Promise<void> {
  if (!isId(deployKey.id) || !(await expireStaged(deployKey, env))) refuse("NOT_FOUND");
  await tidyUp(removeStaged(deployKey, env), env);
}
