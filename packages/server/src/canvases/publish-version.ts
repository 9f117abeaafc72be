import { isId } from "../crypto/ids.ts";
import { type Optional, optional, type Sql, type Step, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { keepSlug } from "./publishing/slug-claims.ts";

/** A version whose files are stored and that is not published yet. */
export interface StoredVersion {
  id: string;
  canvasId: string;
  files: number;
  bytes: number;
}

/**
 * Returns the batch step that marks a version as stored. It also saves how many files were added, changed and removed, compared with the
 * last stored version that was created before this one.
 */
export const storedStep = ({ id, canvasId, files, bytes }: StoredVersion): Sql => sql`
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

/** Returns the batch steps that publish a stored version: they make it the current version of its canvas. */
export const publishSteps = (canvasId: string, version: string, now: number): [Step, ...Step[]] => [
  // Locks the canvas's row first, so that concurrent deploys run one after the other.
  sql`update canvases set version_id = ${version}, revoked_at = null,
      updated_at = greatest(updated_at + 1, ${now})
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

/** Publishes a stored version of a canvas. Throws 404 `NOT_FOUND` if the canvas has no such version, is deleted or is disabled. */
export async function publishVersion(canvasId: string, version: string, { db, clock }: Env): Promise<void> {
  const steps = publishSteps(canvasId, version, clock());
  if (isId(version) && (await db.batch(steps)) === "done") return;
  refuse("NOT_FOUND", { message: "The canvas has no such version." });
}
