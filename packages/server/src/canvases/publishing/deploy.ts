import { createHash } from "node:crypto";
import { inParallel } from "../../async/in-parallel.ts";
import { newId } from "../../crypto/ids.ts";
import type { Step } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { Refusal, refuse } from "../../http/refusal.ts";
import { limitOf, ownerOf, refuseOver } from "../owner-quotas.ts";
import {
  addFiles,
  discardVersion,
  type Representation,
  ROWS_AT_ONCE,
  removeOfCanvas,
} from "../version-files.ts";
import { publishSteps, type StoredVersion, storedStep, trimStep } from "../versions.ts";
import { type Bundle, type BundleFile, withBundle } from "./bundle.ts";
import { storeFile } from "./representations.ts";
import { rootAddressWarnings } from "./root-addresses.ts";

/** A version stored from a bundle, with the files left out and the warnings. */
export interface StoredBundle extends Omit<Bundle, "files"> {
  version: StoredVersion;
}

/** The number of files of a bundle that are stored concurrently. */
const FILES_AT_ONCE = 4;

async function hashOf(file: BundleFile): Promise<{ key: string; size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of await file.open()) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { key: hash.digest("hex"), size };
}

/**
 * Throws 409 `QUOTA_EXCEEDED` before any file is stored if the files exceed the owner's quota of bytes. Files that the canvas already has
 * do not count. They are looked up only if the declared sizes exceed the quota, because all files must be read for this.
 */
async function requireQuota(canvasId: string, files: BundleFile[], env: Env): Promise<void> {
  const owner = (await ownerOf(canvasId, env)) ?? refuse("NOT_FOUND");
  const limit = await limitOf(owner.id, "bundles.bytes.person", env);
  const declared = files.reduce((sum, { size }) => sum + size, 0);
  if (owner.bytes + declared <= limit) return;
  const known = new Set<string>();
  let added = 0;
  await inParallel(files, FILES_AT_ONCE, async (file) => {
    const { key, size } = await hashOf(file).catch(asRefusal);
    if (known.has(key)) return;
    known.add(key);
    const has = await env.db
      .get`select 1 as has from bundle_blobs where canvas_id = ${canvasId} and blob_key = ${key}`;
    if (has === undefined) added += size;
  });
  if (owner.bytes + added > limit) await refuseOver("bundles.bytes.person", owner.id, env);
}

/** Stores files and adds their rows in batches. */
async function storeAll(version: StoredVersion, files: BundleFile[], env: Env): Promise<void> {
  let pending: Representation[] = [];
  const add = async () => {
    const rows = pending;
    pending = [];
    const outcome = await addFiles(version, rows, env);
    const owner = outcome === "done" ? undefined : await ownerOf(version.canvasId, env);
    if (outcome === "gone" || (outcome === "full" && owner === undefined)) refuse("NOT_FOUND");
    if (owner !== undefined) await refuseOver("bundles.bytes.person", owner.id, env);
  };
  await inParallel(files, FILES_AT_ONCE, async (file) => {
    const representations = await storeFile(file, env).catch(asRefusal);
    version.files++;
    version.bytes += representations[0]?.size ?? 0;
    pending.push(...representations);
    if (pending.length > ROWS_AT_ONCE - 3 * FILES_AT_ONCE) await add();
  });
  if (pending.length > 0) await add();
}

/**
 * Stores files as a version that is not published yet. Throws 400 `INVALID_BODY` for a file that cannot be unpacked, 409 `QUOTA_EXCEEDED`
 * over the owner's quota of bytes, and 404 `NOT_FOUND` if the canvas no longer exists.
 */
export async function storeVersion(
  canvasId: string,
  by: string,
  files: BundleFile[],
  env: Env,
): Promise<StoredVersion> {
  await requireQuota(canvasId, files, env);
  const version = { id: newId(), canvasId, files: 0, bytes: 0 };
  await env.db.run`
    insert into versions (id, canvas_id, created_at, created_by, files, bytes, state)
    values (${version.id}, ${canvasId}, ${env.clock()}, ${by}, 0, 0, 'storing')`;
  try {
    await storeAll(version, files, env);
  } catch (error) {
    await tidyUp(discardVersion(version, env), env);
    throw error;
  }
  return version;
}

/**
 * Unpacks an uploaded bundle and stores it as a version that is not published yet, two bundles at a time. `by` is the id of the user who
 * deploys it. Throws 400 `INVALID_BODY` for a bundle that breaks a rule, 409 `QUOTA_EXCEEDED`, and 503 `UNAVAILABLE` while the queue is full.
 */
export const storeBundle = (canvasId: string, by: string, file: string, env: Env): Promise<StoredBundle> =>
  env.deploys.run(() =>
    withBundle(file, async ({ files, leftOut, warnings }) => {
      warnings.push(...(await rootAddressWarnings(files, env.base).catch(asRefusal)));
      return { version: await storeVersion(canvasId, by, files, env), leftOut, warnings };
    }),
  );

/**
 * Makes a stored version the current one of its canvas in one batch, and removes versions over the quota. Throws 404 `NOT_FOUND` if the
 * canvas was deleted or disabled while its files were stored, and 503 `UNAVAILABLE` if a sweep has removed the version.
 */
export async function publishStored(version: StoredVersion, env: Env): Promise<void> {
  const { id, canvasId } = version;
  const now = env.clock();
  const [canvas, ...rest] = publishSteps(canvasId, id, now);
  const steps: Step[] = [canvas, storedStep(version), ...rest, trimStep(canvasId, id, now, env)];
  const { length: done } = await env.db.batch(steps);
  if (done < steps.length) {
    await tidyUp(discardVersion({ id, canvasId }, env), env);
    refuse(done === 0 ? "NOT_FOUND" : "UNAVAILABLE");
  }
  await tidyUp(removeOfCanvas(canvasId, env), env);
}

/** Waits for a removal and logs its failure; the next sweep removes the rest. */
async function tidyUp(removal: Promise<void>, { log }: Env): Promise<void> {
  await removal.catch((error) => log.error({ err: error }, "removing the files of a version failed"));
}

/** Throws 400 `INVALID_BODY` for an error of unpacking. Rethrows refusals, system errors and bugs. */
function asRefusal(error: NodeJS.ErrnoException): never {
  if (error instanceof Refusal || error instanceof TypeError || error.syscall !== undefined) throw error;
  return refuse("INVALID_BODY", { message: `The bundle cannot be unpacked: ${error.message}.` });
}
