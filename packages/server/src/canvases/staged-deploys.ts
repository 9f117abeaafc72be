import { LIMITS } from "@easel/protocol/limits";
import type { Work } from "../async/work.ts";
import { endClaim } from "../drivers/blob-references.ts";
import type { BlobSize } from "../drivers/blobs/blobs.ts";
import { asKeys, type Optional, optional, type Step, sql, step } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { addUses, countBytes, lockBytes, ROW_BYTES, usesRemover } from "./bundle-blobs.ts";
import { lockOwner, withinBytes } from "./owner-quotas.ts";
import { FILES_AT_ONCE } from "./version-files.ts";

/** The time for which a staged deploy, whose files are uploaded one by one, can be finished after its start. */
const LIFETIME_MS = 60 * 60 * 1000;

/** A file of a staged deploy. `key` is the SHA-256 of its bytes. */
export interface StagedFile {
  path: string;
  key: string;
  size: number;
}

/** A deploy by one user to one canvas in which the client uploads the files one by one. */
export interface StagedDeploy {
  id: string;
  canvasId: string;
  userId: string;
  /** The files of the version. A finished deploy has none. */
  files: StagedFile[];
  /**
   * The id of the version that must be the current one when this deploy is finished. Null: the canvas must have no version then. Undefined:
   * this is not checked.
   */
  expectedVersion: string | null | undefined;
  message: string | null;
  /** What the client calls the files, such as a commit. Null if it has not said. */
  releaseId: string | null;
  /** The version that the deploy has stored, with warnings for people about it. Null if the deploy has not been finished. */
  finished: FinishedDeploy | null;
}

/**
 * The id of the version that a staged deploy has stored, and warnings for people about its content. `unchanged`: it has stored nothing,
 * because this version was the published one and had its release.
 */
export interface FinishedDeploy {
  version: string;
  warnings: string[];
  unchanged: boolean;
}

/** Identifies a staged deploy by its id, its canvas and its user. */
export interface StagedDeployKey {
  id: string;
  canvasId: string;
  userId: string;
}

/** The number of blobs that one batch adds to a staged deploy. It is small because in SQLite a batch blocks the event loop. */
const BLOBS_AT_ONCE = 500;

/** Builds the steps that add blobs to a staged deploy. Those that the canvas has are kept for it. */
function addBlobs(id: string, canvasId: string, blobs: BlobSize[]): Optional[] {
  const rows = JSON.stringify(Object.fromEntries(blobs.map(({ key, size }) => [key, [size]])));
  return [
    optional`insert into staged_blobs (deploy_id, blob_key, size, held)
      select cast(${id} as text), key, cast(value ->> 0 as bigint), case when exists (
        select 1 from bundle_blobs where canvas_id = ${canvasId} and blob_key = key and uses > 0
          and size = cast(value ->> 0 as bigint)) then 1 else 0 end
      from json_each(${rows})`,
    optional`update bundle_blobs set uses = uses + 1 where canvas_id = ${canvasId}
      and blob_key in (select blob_key from staged_blobs where deploy_id = ${id} and held = 1
        and blob_key in (select key from json_each(${rows})))`,
  ];
}

/**
 * Inserts a staged deploy. Blobs that the canvas has already are kept for the deploy and need not be uploaded. Until the deploy has ended,
 * its list of files counts in the quota of bytes. Returns "many" if the canvas has the maximum number of unfinished staged deploys, "full"
 * if the owner's quota of bytes would be exceeded, and "gone" if the canvas no longer exists. Blobs are added a few at a time, with a pause of
 * `work`; if that fails, the deploy is removed again.
 */
export async function insertStaged(
  { id, canvasId, userId, files, expectedVersion, message, releaseId }: Omit<StagedDeploy, "finished">,
  blobs: BlobSize[],
  work: Work,
  env: Env,
): Promise<"done" | "many" | "full" | "gone"> {
  const now = env.clock();
  const expects = Number(expectedVersion !== undefined);
  const list = JSON.stringify(files);
  const charged = Buffer.byteLength(list) + Buffer.byteLength(message ?? "") + ROW_BYTES * (blobs.length + 1);
  const outcome = await env.db.batch([
    step("gone", lockOwner(canvasId)),
    step("gone", lockBytes(canvasId)),
    step(
      "many",
      sql`insert into staged_deploys
        (id, canvas_id, user_id, created_at, expires_at, files, expects, expected_version, message, release_id, charged)
      select cast(${id} as text), cast(${canvasId} as text), cast(${userId} as text), cast(${now} as bigint),
        cast(${now + LIFETIME_MS} as bigint), cast(${list} as text), cast(${expects} as integer),
        cast(${expectedVersion ?? null} as text), cast(${message} as text), cast(${releaseId} as text), cast(${charged} as bigint)
      where (select count(*) from staged_deploys
        where canvas_id = ${canvasId} and expires_at > ${now} and version_id is null) < ${LIMITS.stagedDeploys.value}`,
    ),
    ...addBlobs(id, canvasId, blobs.slice(0, BLOBS_AT_ONCE)),
    countBytes(canvasId, charged),
    step("full", withinBytes(canvasId, env)),
  ]);
  if (outcome !== "done") return outcome;
  try {
    for (let from = BLOBS_AT_ONCE; from < blobs.length; from += BLOBS_AT_ONCE) {
      await work.pause();
      const some = blobs.slice(from, from + BLOBS_AT_ONCE);
      const added = await env.db.batch([step("gone", lockBytes(canvasId)), ...addBlobs(id, canvasId, some)]);
      if (added !== "done") return added;
    }
  } catch (error) {
    await removeStaged({ id, canvasId }, env);
    throw error;
  }
  return "done";
}

interface Row {
  files: string;
  expects: number;
  expected_version: string | null;
  message: string | null;
  releaseId: string | null;
  version: string | null;
  warnings: string | null;
  unchanged: number;
}

/** Finds a staged deploy by its id, canvas and user. Returns undefined if there is none or it has expired. */
export async function findStaged(
  id: string,
  canvasId: string,
  userId: string,
  { db, clock }: Env,
): Promise<StagedDeploy | undefined> {
  const row = await db.get<Row>`
    select files, expects, expected_version, message, release_id as "releaseId", version_id as version, warnings, unchanged from staged_deploys
    where id = ${id} and canvas_id = ${canvasId} and user_id = ${userId} and expires_at > ${clock()}`;
  if (row === undefined) return undefined;
  const { files, expects, expected_version, message, releaseId, version, warnings, unchanged } = row;
  return {
    ...{ id, canvasId, userId, message, releaseId },
    files: version === null ? (JSON.parse(files) as StagedFile[]) : [],
    expectedVersion: expects === 1 ? expected_version : undefined,
    finished:
      version === null
        ? null
        : { version, warnings: JSON.parse(warnings ?? "[]") as string[], unchanged: unchanged === 1 },
  };
}

/** A blob that a staged deploy lists. `isUploaded` is whether the deploy has the bytes already. */
export interface StagedBlob extends BlobSize {
  isUploaded: boolean;
}

/** Finds those of the blobs with these keys that a staged deploy lists. Finds none if the deploy has expired or has been finished. */
export async function findStagedBlobs(
  deploy: StagedDeployKey,
  keys: string[],
  { db, clock }: Env,
): Promise<Map<string, StagedBlob>> {
  const rows = await db.all<{ key: string; size: number; held: number }>`
    select blob_key as key, size, held from staged_deploys join staged_blobs on deploy_id = staged_deploys.id
    where staged_deploys.id = ${deploy.id} and canvas_id = ${deploy.canvasId} and user_id = ${deploy.userId}
      and expires_at > ${clock()} and version_id is null
      and blob_key in (select key from json_each(${asKeys(keys)}))`;
  return new Map(rows.map(({ key, size, held }) => [key, { key, size, isUploaded: held === 1 }]));
}

/** Returns the keys of the blobs that still have to be uploaded for a staged deploy. */
export async function missingOf(id: string, { db }: Env): Promise<string[]> {
  const rows = await db.all<{ key: string }>`
    select blob_key as key from staged_blobs where deploy_id = ${id} and held = 0 order by blob_key`;
  return rows.map(({ key }) => key);
}

/**
 * Records that distinct blobs of a staged deploy have been uploaded, and ends their claim. Returns "done" on success, "lost" if the claim no
 * longer stands, and "full" if the owner of the canvas would exceed the byte quota. Records nothing and returns "other" if the deploy does
 * not list one of them or has it already.
 */
export async function markUploaded(
  { id, canvasId }: { id: string; canvasId: string },
  claim: string,
  blobs: BlobSize[],
  env: Env,
): Promise<"done" | "lost" | "full" | "other"> {
  const keys = asKeys(blobs.map(({ key }) => key));
  return env.db.batch([
    step("other", lockOwner(canvasId)),
    step("other", lockBytes(canvasId)),
    step(
      "other",
      sql`update staged_blobs set held = 1
        where deploy_id = ${id} and held = 0 and blob_key in (select key from json_each(${keys}))
          and ${blobs.length} = (select count(*) from staged_blobs
            where deploy_id = ${id} and held = 0 and blob_key in (select key from json_each(${keys})))`,
    ),
    step("lost", endClaim(claim)),
    ...addUses(
      canvasId,
      blobs.map(({ key, size }) => ({ key, size, uses: 1, compressible: false })),
    ),
    step("full", withinBytes(canvasId, env)),
  ]);
}

/**
 * Builds the batch step that marks a staged deploy as finished, with the version that it stored. It changes no row, and so
 * rolls back its batch, if the deploy has been finished or removed already.
 */
export const finishStep = (id: string, { version, warnings }: Omit<FinishedDeploy, "unchanged">): Step => sql`
  update staged_deploys set version_id = ${version}, warnings = ${JSON.stringify(warnings)}
  where id = ${id} and version_id is null`;

const endUses = usesRemover(`select blob_key, 1 as uses from staged_blobs
  where deploy_id = ? and held = 1 and blob_key in (select key from json_each(?))`);

/** Deletes the rows of the blobs of a staged deploy, in small batches. A blob that nothing else uses is then swept. */
async function releaseBlobs(
  { id, canvasId }: { id: string; canvasId: string },
  { db, clock }: Pick<Env, "db" | "clock">,
): Promise<void> {
  for (;;) {
    const rows = await db.all<{ key: string }>`
      select blob_key as key from staged_blobs where deploy_id = ${id} limit ${FILES_AT_ONCE}`;
    if (rows.length === 0) return;
    const keys = rows.map(({ key }) => key);
    await db.withReserve.batch([
      lockBytes(canvasId),
      ...endUses(canvasId, keys, clock(), id, asKeys(keys)),
      optional`delete from staged_blobs where deploy_id = ${id} and blob_key in (select key from json_each(${asKeys(keys)}))`,
    ]);
  }
}

/** Builds the batch step that makes the bytes of a canvas count `charged` for a staged deploy, instead of what its row says. */
const recharge = (id: string, canvasId: string, charged: number): Step => optional`
  update bundle_bytes set bytes = bytes - (
    select coalesce(sum(charged - ${charged}), 0) from staged_deploys where id = ${id})
  where canvas_id = ${canvasId}`;

/**
 * Removes the list of files of a staged deploy that has been finished, and the rows of its blobs. Until it expires, the version and the
 * warnings are kept for requests that are sent again. Safe to run concurrently.
 */
export async function clearFinished(
  deploy: { id: string; canvasId: string },
  { warnings }: FinishedDeploy,
  env: Env,
): Promise<void> {
  const { id, canvasId } = deploy;
  const charged = ROW_BYTES + Buffer.byteLength(JSON.stringify(warnings));
  await releaseBlobs(deploy, env);
  await env.db.withReserve.batch([
    lockBytes(canvasId),
    recharge(id, canvasId, charged),
    optional`update staged_deploys set files = '', message = null, charged = ${charged} where id = ${id}`,
  ]);
}

/** Removes a staged deploy that has expired. Safe to run concurrently. */
export async function removeStaged(
  deploy: { id: string; canvasId: string },
  env: Pick<Env, "db" | "clock">,
): Promise<void> {
  const { id, canvasId } = deploy;
  await releaseBlobs(deploy, env);
  await env.db.withReserve.batch([
    lockBytes(canvasId),
    recharge(id, canvasId, 0),
    optional`delete from staged_deploys where id = ${id}`,
  ]);
}

/** Makes a staged deploy expire now. Returns false if it has expired or been finished already. */
export async function expireStaged(
  { id, canvasId, userId }: StagedDeployKey,
  { db, clock }: Env,
): Promise<boolean> {
  const now = clock();
  const changed = await db.withReserve.run`
    update staged_deploys set expires_at = ${now} where id = ${id} and canvas_id = ${canvasId}
      and user_id = ${userId} and expires_at > ${now} and version_id is null`;
  return changed === 1;
}

/** Removes the staged deploys that have expired by `until`. */
export async function sweepStaged(env: Pick<Env, "db" | "clock">, until = env.clock()): Promise<void> {
  const expired = await env.db.all<{ id: string; canvasId: string }>`
    select id, canvas_id as "canvasId" from staged_deploys where expires_at <= ${until}`;
  for (const deploy of expired) await removeStaged(deploy, env);
}
