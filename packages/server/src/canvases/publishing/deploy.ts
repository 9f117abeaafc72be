import type { Base } from "../../config/addresses.ts";
import { newId } from "../../crypto/ids.ts";
import { isFull } from "../../disk/disk-space.ts";
import { releaseClaim } from "../../drivers/blob-references.ts";
import type { BlobSize } from "../../drivers/blobs/blobs.ts";
import { type Optional, optional, type Step, step, Unavailable } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { Refusal, refuse } from "../../http/refusal.ts";
import { announceBlobs, BLOB_BYTES, bytesOfRows, findBlobs } from "../bundle-blobs.ts";
import { type CanvasOwner, ownerOf, refuseOver, requireBytesOf } from "../owner-quotas.ts";
import { type AddOutcome, addFiles, discardVersion, removeOfCanvas } from "../version-files.ts";
import { keepSteps, publishSteps, type StoredVersion, storedStep, trimStep } from "../versions.ts";
import { type Bundle, type BundleFile, hashAll, slicesOf, storeFiles, withBundle } from "./bundle.ts";
import { compressLater } from "./compressions.ts";
import { faultsOf } from "./easel-json.ts";
import { rootAddressWarnings, SEARCHED_BYTES } from "./root-addresses.ts";

async function startOf(file: BundleFile): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of await file.open()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= SEARCHED_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, SEARCHED_BYTES).toString("latin1");
}

/** Returns the warnings about addresses in `index.html`. Throws 400 `INVALID_BODY` if the page cannot be read. */
async function addressWarnings(files: BundleFile[], { urlMode }: Pick<Base, "urlMode">): Promise<string[]> {
  const index = files.find(({ path }) => path === "index.html");
  if (urlMode !== "path" || index === undefined) return [];
  return rootAddressWarnings(
    await startOf(index),
    files.map(({ path }) => path),
  );
}

/** The maximum length of an `easel.json` that is read, in bytes. */
const MAX_BYTES = 64 * 1024;
/** The maximum number of faults of `easel.json` that a response lists. */
const MAX_FAULTS = 10;

/**
 * Returns a warning for each fault in the file `easel.json` of a bundle. A deploy only checks this file and does not apply its settings.
 * Throws if the file cannot be read.
 */
async function easelJsonWarnings(files: BundleFile[]): Promise<string[]> {
  const file = files.find(({ path }) => path === "easel.json");
  if (file === undefined) return [];
  if (file.size > MAX_BYTES) return ["`easel.json` is larger than 64 KiB."];
  const text = Buffer.concat(await Array.fromAsync(await file.open())).toString("utf8");
  const faults = faultsOf(text);
  const shown = faults.slice(0, MAX_FAULTS).map((fault) => `\`easel.json\`: ${fault}`);
  return faults.length > MAX_FAULTS ? [...shown, "`easel.json` has more faults."] : shown;
}

/** A version that was stored from a bundle, with the paths of the bundle that were left out, and with warnings about the bundle. */
export interface StoredBundle extends Omit<Bundle, "files"> {
  version: StoredVersion;
}

/**
 * Returns the owner of the canvas. Throws 409 `QUOTA_EXCEEDED` if storing the files would exceed the byte quota of this owner. Files that the canvas already has do
 * not count. Looks for such files only if the declared sizes of all files exceed the quota, because this requires reading every file.
 */
async function requireQuota(
  canvasId: string,
  files: BundleFile[],
  signal: AbortSignal,
  env: Env,
): Promise<CanvasOwner> {
  const rows = bytesOfRows(files);
  const declared = files.reduce((sum, { size }) => sum + size + BLOB_BYTES, rows);
  const owner = (await ownerOf(canvasId, env)) ?? refuse("NOT_FOUND");
  if (owner.bytes + declared <= owner.quota) return owner;
  const sizes = new Map<string, number>();
  for (const slice of slicesOf(files)) {
    const hashed = await hashAll(slice, signal).catch(asRefusal);
    const known = await findBlobs(
      canvasId,
      hashed.map(({ key }) => key),
      env,
    );
    for (const { key, size } of hashed) if (!known.has(key)) sizes.set(key, size);
  }
  const added = [...sizes.values()].reduce((sum, size) => sum + size + BLOB_BYTES, rows);
  requireBytesOf(owner, added);
  return owner;
}

/**
 * Does nothing if `addFiles` returned "done". Otherwise throws the error for what it returned: 409 `QUOTA_EXCEEDED` for "full", 503
 * `UNAVAILABLE` for "lost", 404 `NOT_FOUND` for "gone".
 */
async function requireAdded(outcome: AddOutcome, canvasId: string, env: Env): Promise<void> {
  if (outcome === "done") return;
  const owner = outcome === "full" ? await ownerOf(canvasId, env) : undefined;
  if (owner !== undefined) await refuseOver("bundles.bytes.person", owner.id, env);
  refuse(outcome === "lost" ? "UNAVAILABLE" : "NOT_FOUND");
}

/**
 * Stores the files of a version and inserts their rows, in slices of a few files. Bytes that the canvas already has are not stored again.
 * If such bytes are removed with another version meanwhile, stores all files of the slice. Bytes are counted before they are stored.
 * `insert` inserts the row of the version, with the first files.
 */
async function storeAll(
  version: StoredVersion,
  insert: Optional,
  files: BundleFile[],
  signal: AbortSignal,
  env: Env,
): Promise<void> {
  for (const [index, slice] of [...slicesOf(files)].entries()) {
    const hashed = await hashAll(slice, signal).catch(asRefusal);
    const keys = hashed.map(({ key }) => key);
    const add = async (known: Map<string, BlobSize>) => {
      const added = hashed.filter(({ key }) => !known.has(key));
      const claim = newId();
      const announced = await announceBlobs(version.canvasId, claim, added, env);
      if (announced !== "done") return announced;
      const held = added.length > 0 ? claim : null;
      let outcome: AddOutcome | undefined;
      try {
        const stored = await storeFiles(hashed, known, signal, env).catch(asRefusal);
        outcome = await addFiles(version, stored, held, [...known.keys()], env, index === 0 ? [insert] : []);
        return outcome;
      } finally {
        if (held !== null && outcome !== "done") await releaseClaim(held, env);
      }
    };
    const outcome = await add(await findBlobs(version.canvasId, keys, env));
    await requireAdded(outcome === "lost" ? await add(new Map()) : outcome, version.canvasId, env);
    version.files += hashed.length;
    version.bytes += hashed.reduce((sum, { size }) => sum + size, 0);
  }
}

/** `message` is the message of the deploy, `releaseId` its release; null if it has none. */
interface StoreOptions {
  message?: string | null;
  releaseId?: string | null;
  signal?: AbortSignal;
}

/**
 * Stores files as a version that is not published yet. `by` is the id of the user who deploys. If `signal` aborts, stops before the
 * next file, discards what is stored, and throws the reason. Throws 400 `INVALID_BODY` for a file that cannot be unpacked, 409
 * `QUOTA_EXCEEDED` if the owner's quota of bytes would be exceeded, and 404 `NOT_FOUND` if the canvas no longer exists.
 */
export async function storeVersion(
  canvasId: string,
  by: string,
  files: BundleFile[],
  env: Env,
  { message = null, releaseId = null, signal = new AbortController().signal }: StoreOptions = {},
): Promise<StoredVersion> {
  const owner = await requireQuota(canvasId, files, signal, env);
  const version = { id: newId(), canvasId, files: 0, bytes: 0, owner };
  const insert = optional`
    insert into versions (id, canvas_id, created_at, created_by, files, bytes, state, message, release_id)
    values (${version.id}, ${canvasId}, ${env.clock()}, ${by}, 0, 0, 'storing', ${message}, ${releaseId})`;
  try {
    await storeAll(version, insert, files, signal, env);
  } catch (error) {
    env.metrics.deploys.add(1, "failed");
    await tidyUp(discardVersion(version, env), env);
    throw error;
  }
  return version;
}

/** Returns the warnings about likely mistakes in the content of files. Throws if a file cannot be read. */
export const contentWarnings = async (files: BundleFile[], { base }: Env): Promise<string[]> => [
  ...(await addressWarnings(files, base)),
  ...(await easelJsonWarnings(files)),
];

/**
 * Unpacks an uploaded bundle and stores it as a version that is not published yet. `by` is the id of the user who deploys, whose bundles
 * are stored one after the other. Stops when `signal` aborts, and throws its reason. Throws 400 `INVALID_BODY` for a bundle that breaks a
 * rule, 409 `QUOTA_EXCEEDED`, and 503 `UNAVAILABLE` if too many deploys of this person wait.
 */
export const storeBundle = (
  canvasId: string,
  by: string,
  file: string,
  env: Env,
  signal?: AbortSignal,
): Promise<StoredBundle> =>
  env.deploys.run(
    by,
    (signal) =>
      withBundle(file, async ({ files, leftOut, warnings }) => {
        warnings.push(...(await contentWarnings(files, env).catch(asRefusal)));
        return { version: await storeVersion(canvasId, by, files, env, { signal }), leftOut, warnings };
      }),
    signal,
  );

/**
 * Publishes a stored version, and removes versions beyond the quota. Its files are compressed afterwards. Runs `conditions` first, in the
 * same batch, and throws 404 `NOT_FOUND` if one of them changes no row or if the canvas has been deleted or disabled. Throws 503
 * `UNAVAILABLE` if a sweep has removed the version.
 */
export async function publishStored(
  version: StoredVersion,
  env: Env,
  conditions: Step[] = [],
): Promise<void> {
  const { id, canvasId, owner } = version;
  const now = env.clock();
  await completeStored(version, publishSteps(canvasId, id, now), conditions, now, env);
  env.metrics.deploys.add(1, "published");
  // A draft has no version that was replaced. The sweep removes those that were never published.
  if (!owner.isDraft) await tidyUp(removeOfCanvas(canvasId, env), env);
}

/** Adds a stored version to those of its canvas without publishing it. Otherwise does the same as `publishStored`. */
export async function keepStored(version: StoredVersion, env: Env, conditions: Step[] = []): Promise<void> {
  const { id, canvasId } = version;
  await completeStored(version, keepSteps(canvasId, id), conditions, env.clock(), env);
  env.metrics.deploys.add(1, "stored");
  await tidyUp(removeOfCanvas(canvasId, env), env);
}

async function completeStored(
  version: StoredVersion,
  [canvas, ...rest]: [Step, ...Step[]],
  conditions: Step[],
  now: number,
  env: Env,
): Promise<void> {
  const { id, canvasId } = version;
  const outcome = await env.db.batch([
    ...conditions,
    canvas,
    step("swept", storedStep(version)),
    ...rest,
    trimStep(canvasId, id, now, env),
  ]);
  if (outcome !== "done") {
    env.metrics.deploys.add(1, "failed");
    await tidyUp(discardVersion({ id, canvasId }, env), env);
    refuse(outcome === "swept" ? "UNAVAILABLE" : "NOT_FOUND");
  }
  compressLater(version.owner.id, env);
}

/** Waits for a removal of a version's files. Only logs a failure, because the next sweep removes what is left. */
export async function tidyUp(removal: Promise<void>, { log }: Env): Promise<void> {
  await removal.catch((error) => log.error({ err: error }, "removing the files of a version failed"));
}

/** Whether an error in unpacking and storing a bundle is one of the service, and not of the bundle. */
const isOwn = (error: NodeJS.ErrnoException): boolean =>
  error instanceof TypeError || error instanceof Unavailable || error.syscall !== undefined || isFull(error);

/**
 * Converts an error in unpacking a bundle to a refusal with 400 `INVALID_BODY`, and throws it. Throws refusals and errors of the service
 * unchanged.
 */
function asRefusal(error: NodeJS.ErrnoException): never {
  if (error instanceof Refusal || isOwn(error)) throw error;
  return refuse("INVALID_BODY", { message: `The bundle cannot be unpacked: ${error.message}.` });
}
