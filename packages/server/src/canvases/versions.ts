import { LIMITS } from "@easel/protocol/limits";
import type { Version, VersionFile, VersionFiles } from "@easel/protocol/types";
import { isId } from "../crypto/ids.ts";
import { type Optional, optional, type Sql, type Step, sql, sqlText } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { paged } from "../http/query.ts";
import { refuse } from "../http/refusal.ts";
import { changeCanvas } from "./change-canvas.ts";
import type { CanvasOwner } from "./owner-quotas.ts";
import { keepSlug } from "./publishing/slug-claims.ts";
import type { FinishedDeploy } from "./staged-deploys.ts";

/** The SQL condition that the published version of a canvas (first value) has a release (second value). */
const IS_CURRENT = `exists (select 1 from canvases join versions on versions.id = canvases.version_id
  where canvases.id = ? and revoked_at is null and deleted_at is null and disabled_at is null and release_id = ?)`;

const FIND = sqlText(`select 1 as current where ${IS_CURRENT}`);
const FINISH = sqlText(
  "update staged_deploys set unchanged = 1, warnings = '[]', version_id = (select version_id from canvases where id = ?)",
  `where id = ? and version_id is null and ${IS_CURRENT} returning version_id as version`,
);
const REQUIRE_OTHER = sqlText(`update canvases set title = title where id = ? and not ${IS_CURRENT}`);

/**
 * Finishes a staged deploy without publishing, if the published version of its canvas has the release of the deploy (decision 064). Returns
 * that version, or undefined if it has another release, or if the deploy has none.
 */
export async function finishAsCurrent(
  { id, canvasId, releaseId }: { id: string; canvasId: string; releaseId: string | null },
  { db }: Env,
): Promise<FinishedDeploy | undefined> {
  if (releaseId === null) return undefined;
  const [row] = await db.returning<{ version: string }>(FINISH, canvasId, id, canvasId, releaseId);
  return row && { version: row.version, warnings: [], unchanged: true };
}

/** Whether the published version of a canvas has this release. */
export const isCurrentRelease = async (
  canvasId: string,
  releaseId: string | null,
  { db }: Env,
): Promise<boolean> => releaseId !== null && (await db.get(FIND, canvasId, releaseId)) !== undefined;

/**
 * Builds the batch steps that roll back their batch if the published version of a canvas has this release. The first step locks the row of
 * the canvas, so that the second sees what a concurrent deploy has published.
 */
export const otherReleaseSteps = (canvasId: string, releaseId: string): Step[] => [
  sql`update canvases set title = title where id = ${canvasId}`,
  [REQUIRE_OTHER, canvasId, canvasId, releaseId],
];

/** A version whose files are stored and that is not published yet. */
export interface StoredVersion {
  id: string;
  canvasId: string;
  files: number;
  bytes: number;
  /** The owner of the canvas when the version was begun. */
  owner: CanvasOwner;
}

/**
 * Returns the batch step that marks a version as stored. It also saves how many files were added, changed and removed, compared with the
 * last stored version that was created before this one.
 */
export const storedStep = ({ id, canvasId, files, bytes }: Omit<StoredVersion, "owner">): Sql => sql`
  with before as (select max(id) as id from versions where canvas_id = ${canvasId} and state = 'stored' and id < ${id}),
    pairs as (select new.blob_key as new_key, old.blob_key as old_key
      from version_files as new left join version_files as old
      on old.version_id = (select id from before) and old.path = new.path
      where new.version_id = ${id})
  update versions set state = 'stored', files = ${files}, bytes = ${bytes},
    files_added = (select count(*) from pairs where old_key is null),
    files_changed = (select count(*) from pairs where old_key <> new_key),
    files_removed = (select count(*) from version_files where version_id = (select id from before)) - (select count(old_key) from pairs)
  where id = ${id} and state = 'storing'`;

/** The value of `replaced_at` of a version that has never been published. The current version has null. */
const NEVER = 0;

/**
 * Returns the batch steps that keep a version, which has just been stored, without publishing it. They change nothing of its canvas, and no
 * row, which rolls back the batch, if the canvas is deleted or disabled.
 */
export const keepSteps = (canvasId: string, version: string): [Step, ...Step[]] => [
  sql`update canvases set title = title where id = ${canvasId} and deleted_at is null and disabled_at is null`,
  sql`update versions set replaced_at = ${NEVER} where id = ${version}`,
];

/** Returns the batch steps that publish a stored version: they make it the current version of its canvas. */
export const publishSteps = (canvasId: string, version: string, now: number): [Step, ...Step[]] => [
  // Locks the canvas's row first, so that concurrent deploys run one after the other.
  changeCanvas(now)`
    version_id = ${version}, revoked_at = null
    where id = ${canvasId} and deleted_at is null and disabled_at is null`,
  sql`update versions set replaced_at = null
    where id = ${version} and canvas_id = ${canvasId} and state = 'stored'`,
  optional`update versions set replaced_at = ${now}
    where canvas_id = ${canvasId} and id <> ${version} and replaced_at is null`,
  keepSlug(canvasId),
];

/**
 * Returns the batch step that marks versions of a canvas for removal: the oldest ones that exceed the quota of versions. Keeps the
 * published version. Also keeps the version that was replaced just now, because browsers may still be loading files of it.
 */
export const trimStep = (canvasId: string, version: string, now: number, { config }: Env): Optional =>
  optional`update versions set state = 'removing'
    where canvas_id = ${canvasId} and state = 'stored' and id <> ${version} and replaced_at < ${now}
      and id not in (select id from versions where canvas_id = ${canvasId} and state = 'stored'
        order by id desc limit (coalesce((select value from canvases join person_quotas on user_id = owner_id
          where canvases.id = ${canvasId} and name = 'versions.canvas'), ${config.versionsKept})))`;

/**
 * Throws 409 `VERSION_CONFLICT` unless the published version of a canvas is `expected`, where null means that there is none. For an
 * unpublished canvas, the version that it published last is expected as well. Adds the id of the published version, or null, to the error as
 * `currentVersion`. If `expected` is undefined, does nothing.
 */
export async function requireExpected(
  canvasId: string,
  expected: string | null | undefined,
  { db }: Env,
): Promise<void> {
  if (expected === undefined) return;
  const row = await db.get<{ last: string | null; revoked_at: number | null }>`
    select version_id as last, revoked_at from canvases where id = ${canvasId}`;
  const last = row?.last ?? null;
  const currentVersion = row?.revoked_at == null ? last : null;
  if (expected !== last && expected !== currentVersion) refuse("VERSION_CONFLICT", { currentVersion });
}

/**
 * Builds the batch step that rolls back its batch if `requireExpected` would throw. The step also locks the row of the canvas.
 */
export const expectedStep = (canvasId: string, expected: string | null): Step => sql`
  update canvases set title = title where id = ${canvasId} and (version_id is not distinct from ${expected}
    or (revoked_at is not null and cast(${expected} as text) is null))`;

/**
 * Publishes a stored version of a canvas. Throws 409 `VERSION_CONFLICT` unless the published version is `expected`, as `requireExpected` does, and
 * 404 `NOT_FOUND` if the canvas has no such version, is deleted or is disabled.
 */
export async function publishVersion(
  canvasId: string,
  version: string,
  expected: string | null | undefined,
  env: Env,
): Promise<void> {
  const conditions = expected === undefined ? [] : [expectedStep(canvasId, expected)];
  const steps = [...conditions, ...publishSteps(canvasId, version, env.clock())];
  if (isId(version) && (await env.db.batch(steps)) === "done") return;
  await requireVersion(canvasId, version, env);
  await requireExpected(canvasId, expected, env);
  refuse("NOT_FOUND", { message: "The canvas has no such version." });
}

interface Row extends Omit<Version, "current" | "changed" | "published"> {
  added: number | null;
  changed: number;
  removed: number;
  current: number;
  published: number;
}

/** Reads the stored versions of a canvas, newest first. */
export async function listVersions(canvasId: string, { db }: Env): Promise<Version[]> {
  const rows = await db.all<Row>`
    select versions.id, versions.created_at as "createdAt", versions.created_by as "createdBy",
      users.name as "createdByName", versions.files, versions.bytes, versions.message,
      versions.release_id as "releaseId",
      files_added as added, files_changed as changed, files_removed as removed,
      case when versions.id = canvases.version_id then 1 else 0 end as current,
      case when replaced_at is null or replaced_at > ${NEVER} then 1 else 0 end as published
    from versions join canvases on canvases.id = canvas_id join users on users.id = versions.created_by
    where canvas_id = ${canvasId} and state = 'stored' order by versions.id desc`;
  return rows.map(({ added, changed, removed, current, published, ...version }) => ({
    ...version,
    changed: added === null ? null : { added, changed, removed },
    current: current === 1,
    published: published === 1,
  }));
}

/** Whether a canvas has a stored version with this id. */
export const hasVersion = async (canvasId: string, version: string, { db }: Env): Promise<boolean> =>
  isId(version) &&
  (await db.get`select 1 as known from versions
    where id = ${version} and canvas_id = ${canvasId} and state = 'stored'`) !== undefined;

/** Throws 404 `NOT_FOUND` if the canvas has no stored version with this id. */
export async function requireVersion(canvasId: string, version: string, env: Env): Promise<void> {
  if (!(await hasVersion(canvasId, version, env)))
    refuse("NOT_FOUND", { message: "The canvas has no such version." });
}

/**
 * Returns the files of a version, sorted by path: at most `limit` of those after `cursor`, which is a path. Without a limit, returns all of
 * them. Throws 404 `NOT_FOUND` if the canvas has no such version.
 */
export async function listFiles(
  canvasId: string,
  version: string,
  {
    cursor = "",
    limit = LIMITS.bundleEntries.value,
  }: { cursor?: string | undefined; limit?: number | undefined },
  env: Env,
): Promise<VersionFiles> {
  await requireVersion(canvasId, version, env);
  const rows = await env.db.all<VersionFile>`
    select path, size, mime, blob_key as sha256 from version_files
    where version_id = ${version} and path > ${cursor} order by path limit ${limit + 1}`;
  const { entries, nextCursor } = paged(rows, limit, ({ path }) => path);
  return { version, files: entries, nextCursor };
}

/** Finds a file of a stored version of a canvas. Returns undefined if there is none. */
export const findFile = (
  canvasId: string,
  version: string,
  path: string,
  { db }: Env,
): Promise<VersionFile | undefined> =>
  db.get<VersionFile>`
    select path, version_files.size, mime, blob_key as sha256
    from version_files join versions on versions.id = version_id
    where version_id = ${version} and path = ${path} and canvas_id = ${canvasId} and state = 'stored'`;

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
