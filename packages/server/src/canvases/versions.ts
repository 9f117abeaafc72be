import type { Version, VersionFile } from "@easel/protocol/types";
import { isId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";

interface Row extends Omit<Version, "current" | "changed"> {
  added: number | null;
  changed: number;
  removed: number;
  current: number;
}

/** Reads the stored versions of a canvas, newest first. */
export async function listVersions(canvasId: string, { db }: Env): Promise<Version[]> {
  const rows = await db.all<Row>`
    select versions.id, versions.created_at as "createdAt", versions.created_by as "createdBy",
      users.name as "createdByName", versions.files, versions.bytes, versions.message,
      versions.release_id as "releaseId",
      files_added as added, files_changed as changed, files_removed as removed,
      case when versions.id = canvases.version_id then 1 else 0 end as current
    from versions join canvases on canvases.id = canvas_id join users on users.id = versions.created_by
    where canvas_id = ${canvasId} and state = 'stored' order by versions.id desc`;
  return rows.map(({ added, changed, removed, current, ...version }) => ({
    ...version,
    changed: added === null ? null : { added, changed, removed },
    current: current === 1,
  }));
}

/** Throws 404 `NOT_FOUND` if the canvas has no stored version with this id. */
export async function requireVersion(canvasId: string, version: string, { db }: Env): Promise<void> {
  const known = isId(version)
    ? await db.get`select 1 as known from versions
        where id = ${version} and canvas_id = ${canvasId} and state = 'stored'`
    : undefined;
  if (known === undefined) refuse("NOT_FOUND", { message: "The canvas has no such version." });
}

/** Returns the files of a version, sorted by path. Throws 404 `NOT_FOUND` if the canvas has no such version. */
export async function listFiles(canvasId: string, version: string, env: Env): Promise<VersionFile[]> {
  await requireVersion(canvasId, version, env);
  return env.db.all<VersionFile>`
    select path, blob_key as sha256, size from version_files where version_id = ${version} order by path`;
}

/**
 * Marks a version for removal. `removeOfCanvas` or the hourly sweep removes its files later. Throws 409 `VERSION_LIVE` if the version is
 * the published one, and 404 `NOT_FOUND` if the canvas has no such version.
 */
export async function deleteVersion(canvasId: string, version: string, env: Env): Promise<void> {
  const { db } = env;
  // A concurrent publication of this version changes the same row, so either the deletion or the publication fails.
  const marked = isId(version)
    ? await db.withReserve.run`update versions set state = 'removing'
        where id = ${version} and canvas_id = ${canvasId} and state = 'stored' and replaced_at is not null`
    : 0;
  if (marked === 1) return;
  await requireVersion(canvasId, version, env);
  refuse("VERSION_LIVE");
}
