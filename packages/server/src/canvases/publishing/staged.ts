import { createHash } from "node:crypto";
import type { StagedDeployCreated } from "@easel/protocol/types";
import { isId, newId } from "../../crypto/ids.ts";
import { type Step, sql } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { type BundleBlob, findBlobs } from "../bundle-blobs.ts";
import { ownerOf, refuseOver, requireBytes } from "../owner-quotas.ts";
import {
  findStaged,
  findStagedBlob,
  finishStep,
  holdBlob,
  insertStaged,
  missingOf,
  releaseBlobs,
  type StagedBlob,
  type StagedDeploy,
  type StagedFile,
} from "../staged-deploys.ts";
import type { BundleFile } from "./bundle.ts";
import { contentWarnings, publishStored, storeVersion, tidyUp } from "./deploy.ts";
import { mimeOf } from "./mime.ts";
import { compress, isWorthCompressing } from "./representations.ts";
import { selectFiles } from "./select-files.ts";

/** The request that begins a staged deploy: the files that the client will upload one by one, and options. */
export interface Manifest {
  files: StagedFile[];
  expectedVersion?: string | null | undefined;
  message?: string | null | undefined;
}

/** Identifies a staged deploy by its id, its canvas and its user. */
interface Place {
  id: string;
  canvasId: string;
  userId: string;
}

const invalid = (message: string): never => refuse("INVALID_BODY", { message });

/**
 * Throws 409 `VERSION_CONFLICT` unless the published version of a canvas is `expected`, where null means that there is none. Adds the id of
 * the published version to the error as `currentVersion`. If `expected` is undefined, does nothing.
 */
async function requireExpected(
  canvasId: string,
  expected: string | null | undefined,
  { db }: Env,
): Promise<void> {
  if (expected === undefined) return;
  const row = await db.get<{ version: string | null }>`
    select version_id as version from canvases where id = ${canvasId}`;
  const currentVersion = row?.version ?? null;
  if (currentVersion !== expected) refuse("VERSION_CONFLICT", { currentVersion });
}

/** Returns the distinct blobs of files, by their hash. Throws 400 `INVALID_BODY` if files with the same hash differ in size. */
function blobsOf(files: StagedFile[]): Map<string, StagedBlob> {
  const blobs = new Map<string, StagedBlob>();
  for (const { path, key, size } of files) {
    const compressible = isWorthCompressing(mimeOf(path), size);
    const known = blobs.get(key);
    if (known !== undefined && known.size !== size) invalid(`\`${key}\` has two sizes.`);
    blobs.set(key, { key, size, compressible: compressible || known?.compressible === true });
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
  const { expectedVersion, message = null } = manifest;
  await requireExpected(canvasId, expectedVersion, env);
  const { files, leftOut, warnings } = await selectFiles(manifest.files);
  const blobs = blobsOf(files);
  const known = await findBlobs(canvasId, [...blobs.keys()], env);
  let added = 0;
  for (const { key, size } of blobs.values()) {
    const has = known.get(key);
    if (has === undefined) added += size;
    else if (has.size !== size) invalid(`\`${key}\` is the hash of ${has.size} bytes.`);
  }
  await requireBytes(canvasId, added, env);
  const id = newId();
  const staged = { id, canvasId, userId, files, expectedVersion, message };
  const outcome = await insertStaged(staged, [...blobs.values()], env);
  if (outcome === "gone") refuse("NOT_FOUND");
  if (outcome === "full")
    refuse("KEY_LIMIT", {
      message: "The canvas has too many open staged deploys. They expire after an hour.",
    });
  return { id, missing: await missingOf(id, env), leftOut, warnings };
}

/**
 * Passes a stream through. Throws 400 `INVALID_BODY` as soon as the stream is longer than `size`, and at its end if it is shorter or its
 * hash is not `key`.
 */
async function* verified(
  { key, size }: StagedBlob,
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
const requireStagedBlob = async (place: Place, key: string, env: Env) =>
  (isId(place.id) ? await findStagedBlob(place, key, env) : undefined) ?? refuse("NOT_FOUND");

/**
 * Stores an uploaded blob of a staged deploy and its compressed variants. `declared` is the Content-Length of the upload, or 0 if the
 * header is absent. Returns null if the deploy has the blob already. Throws 400 `INVALID_BODY` if the upload has another hash or size than
 * the blob.
 */
export async function receiveBlob(
  place: Place,
  key: string,
  declared: number,
  source: AsyncIterable<Uint8Array>,
  env: Env,
): Promise<BundleBlob | null> {
  const blob = await requireStagedBlob(place, key, env);
  if (declared > blob.size) invalid(`The body is longer than ${blob.size} bytes.`);
  if (blob.held) {
    for await (const _ of verified(blob, source));
    return null;
  }
  const stored = await env.blobs.put(verified(blob, source));
  return blob.compressible
    ? await compress(stored, env)
    : { ...stored, compressed: false, br: null, gzip: null };
}

/**
 * Records that a staged deploy has a blob. `blob` is the result of `receiveBlob`. Throws 404 `NOT_FOUND` if the deploy has expired or been
 * finished meanwhile, and 409 `QUOTA_EXCEEDED` if the owner's quota of bytes would be exceeded.
 */
export async function addBlob(place: Place, key: string, blob: BundleBlob | null, env: Env): Promise<void> {
  if (blob !== null) {
    const outcome = await holdBlob(place, blob, env);
    if (outcome === "done") return;
    const owner = outcome === "full" ? await ownerOf(place.canvasId, env) : undefined;
    if (owner !== undefined) await refuseOver("bundles.bytes.person", owner.id, env);
  }
  if (!(await requireStagedBlob(place, key, env)).held) refuse("NOT_FOUND");
}

/**
 * Builds the batch step that rolls back its batch if the published version of a canvas is not `expected`. The step also locks the row of
 * the canvas.
 */
const expectedStep = (canvasId: string, expected: string | null): Step => sql`
  update canvases set title = title where id = ${canvasId} and version_id is not distinct from ${expected}`;

const requireStaged = async ({ id, canvasId, userId }: Place, env: Env) =>
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

async function publishStaged(deploy: StagedDeploy, env: Env): Promise<string> {
  const { id, canvasId, userId, expectedVersion, message } = deploy;
  const version = await storeVersion(canvasId, userId, filesOf(deploy), env, message);
  const conditions = [finishStep(id, version.id)];
  if (expectedVersion !== undefined) conditions.unshift(expectedStep(canvasId, expectedVersion));
  await publishStored(version, env, conditions);
  return version.id;
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
 * Publishes a staged deploy. Returns the id of the published version, and warnings for people. A repeated or concurrent call publishes
 * nothing and returns the same. Throws 404 `NOT_FOUND` if the deploy has expired, 409 `BLOBS_MISSING` if a blob has not been uploaded, and
 * 409 `VERSION_CONFLICT` if the published version is not the one that the client expects.
 */
export async function finishDeploy(place: Place, env: Env): Promise<{ version: string; warnings: string[] }> {
  const deploy = await requireStaged(place, env);
  const version = deploy.version ?? (await publishOnce(place, deploy, env));
  return { version, warnings: await warningsOf(deploy, env) };
}

async function publishOnce(place: Place, deploy: StagedDeploy, env: Env): Promise<string> {
  await requireComplete(deploy.id, env);
  await requireExpected(deploy.canvasId, deploy.expectedVersion, env);
  try {
    const version = await env.deploys.run(() => publishStaged(deploy, env));
    await tidyUp(releaseBlobs(deploy, env), env);
    return version;
  } catch (error) {
    // A concurrent request may have finished the same deploy, or another deploy may have been published meanwhile.
    const { version } = await requireStaged(place, env);
    if (version !== null) return version;
    await requireExpected(deploy.canvasId, deploy.expectedVersion, env);
    throw error;
  }
}
