import { endClaim } from "../drivers/blob-references.ts";
import type { BlobSize } from "../drivers/blobs/blobs.ts";
import { asKeys, type Optional, optional, step } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import {
  addUses,
  type BlobUses,
  bytesOfRows,
  countBytes,
  lockBytes,
  PATH_FACTOR,
  ROW_BYTES,
  requireBlobs,
  usesRemover,
} from "./bundle-blobs.ts";
import { lockOwner, withinBytes } from "./owner-quotas.ts";

/** A file of a version with its stored bytes. `compressible` is whether it is worth compressing. */
export interface VersionFile {
  path: string;
  mime: string;
  compressible: boolean;
  blob: BlobSize;
}

/** The part of `Env` with which versions are removed. */
type Clocked = Pick<Env, "db" | "clock">;

/** The maximum number of files that are added or removed in one batch. It is small because in SQLite a batch blocks the event loop. */
export const FILES_AT_ONCE = 100;

/** Returns the distinct blobs of files, each with the number of files that have it as their content. */
function usesOf(files: VersionFile[]): BlobUses[] {
  const used = new Map<string, BlobUses>();
  for (const { blob, compressible } of files) {
    const known = used.get(blob.key) ?? { ...blob, uses: 0, compressible: false };
    used.set(blob.key, {
      ...known,
      uses: known.uses + 1,
      compressible: known.compressible || compressible,
    });
  }
  return [...used.values()];
}

/** The result of `addFiles`. The comment on that function explains the values. */
export type AddOutcome = "done" | "lost" | "full" | "gone";

/**
 * Adds at most `FILES_AT_ONCE` files to a version that is being stored. `claim` is the claim of the blobs that were stored for it, null if
 * none were. `reused` are the keys of blobs that were not stored again, because the canvas had them. Adds nothing and returns "lost" if the
 * claim no longer stands or the canvas no longer has all blobs in `reused`, "full" if the owner's quota of bytes would be exceeded, or
 * "gone" if the canvas no longer exists.
 * `first` are steps that run before the files are added.
 */
export async function addFiles(
  { id, canvasId }: { id: string; canvasId: string },
  files: VersionFile[],
  claim: string | null,
  reused: string[],
  env: Env,
  first: Optional[] = [],
): Promise<AddOutcome> {
  const rows = Object.fromEntries(
    files.map(({ path, mime, blob }) => [path, mime, blob.key, blob.size]).entries(),
  );
  return env.db.batch([
    step("gone", lockOwner(canvasId)),
    step("gone", lockBytes(canvasId)),
    ...(claim === null ? [] : [step("lost", endClaim(claim))]),
    ...(reused.length > 0 ? [step("lost", requireBlobs(canvasId, reused))] : []),
    ...first,
    ...addUses(canvasId, usesOf(files)),
    countBytes(canvasId, bytesOfRows(files)),
    optional`insert into version_files (version_id, path, encoding, mime, blob_key, size)
      select cast(${id} as text), value ->> 0, 'identity', value ->> 1, value ->> 2, cast(value ->> 3 as bigint)
      from json_each(${JSON.stringify(rows)})`,
    step("full", withinBytes(canvasId, env)),
  ]);
}

const endUses = usesRemover(`select blob_key, count(*) as uses from version_files
  where version_id = ? and path in (select key from json_each(?)) group by blob_key`);

/** Removes the files of a version whose state is `removing`, in small batches, and then the version. Safe to run concurrently. */
async function removeMarked({ id, canvasId }: { id: string; canvasId: string }, env: Clocked): Promise<void> {
  const db = env.db.withReserve;
  for (;;) {
    const rows = await db.all<{ path: string; key: string }>`
      select path, blob_key as key from version_files where version_id = ${id} limit ${FILES_AT_ONCE}`;
    if (rows.length === 0) break;
    const paths = asKeys(rows.map(({ path }) => path));
    const keys = rows.map(({ key }) => key);
    await db.batch([
      lockBytes(canvasId),
      ...endUses(canvasId, keys, env.clock(), id, paths),
      optional`update bundle_bytes set bytes = bytes - (
          select coalesce(sum(${ROW_BYTES} + ${PATH_FACTOR} * octet_length(path)), 0) from version_files
          where version_id = ${id} and path in (select key from json_each(${paths})))
        where canvas_id = ${canvasId}`,
      optional`delete from version_files where version_id = ${id} and path in (select key from json_each(${paths}))`,
    ]);
  }
  await db.run`delete from versions where id = ${id} and state = 'removing'`;
}

/** Removes a version that is still in the state `storing`, because it could not be stored or published. */
export async function discardVersion(version: { id: string; canvasId: string }, env: Clocked): Promise<void> {
  const marked = await env.db.withReserve.run`
    update versions set state = 'removing' where id = ${version.id} and state = 'storing'`;
  if (marked === 1) await removeMarked(version, env);
}

/** Removes the versions of a canvas whose state is `removing`. */
export async function removeOfCanvas(canvasId: string, env: Clocked): Promise<void> {
  const marked = await env.db.all<{ id: string }>`
    select id from versions where canvas_id = ${canvasId} and state <> 'stored' and state = 'removing'`;
  for (const { id } of marked) await removeMarked({ id, canvasId }, env);
}

/**
 * Removes every version whose state is `removing`, and every version that is still being stored but was created before `time` (epoch
 * milliseconds).
 */
export async function sweepVersions(time: number, env: Clocked): Promise<void> {
  await env.db.withReserve.run`
    update versions set state = 'removing' where state <> 'stored' and state = 'storing' and created_at < ${time}`;
  const marked = await env.db.all<{ id: string; canvasId: string }>`
    select id, canvas_id as "canvasId" from versions where state <> 'stored' and state = 'removing'`;
  for (const version of marked) await removeMarked(version, env);
}
