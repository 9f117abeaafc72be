import type { Version } from "@easel/protocol/types";
import { isId } from "../crypto/ids.ts";
import { optional, type Step, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";

/** Returns the steps that make a stored version the current one of its canvas. */
export const publishSteps = (canvasId: string, version: string, now: number): [Step, ...Step[]] => [
  // Locks the canvas's row first, so that concurrent deploys run one after the other.
  sql`update canvases set version_id = ${version}, revoked_at = null, updated_at = ${now}
    where id = ${canvasId} and deleted_at is null and disabled_at is null`,
  sql`update versions set replaced_at = null
    where id = ${version} and canvas_id = ${canvasId} and state = 'stored'`,
  optional`update versions set replaced_at = ${now}
    where canvas_id = ${canvasId} and id <> ${version} and replaced_at is null`,
];

/**
 * Returns the step that marks the oldest versions over the quota for removal. The published version stays, and so does the one that it has
 * just replaced, because pages of it may still be loading.
 */
export const trimStep = (canvasId: string, version: string, now: number, { config }: Env): Step =>
  optional`update versions set state = 'removing'
    where canvas_id = ${canvasId} and state = 'stored' and id <> ${version} and replaced_at < ${now}
      and id not in (select id from versions where canvas_id = ${canvasId} and state = 'stored'
        order by id desc limit (coalesce((select value from canvases join person_quotas on user_id = owner_id
          where canvases.id = ${canvasId} and name = 'versions.canvas'), ${config.versionsKept})))`;

/** Reads the stored versions of a canvas, newest first. */
export async function listVersions(canvasId: string, { db }: Env): Promise<Version[]> {
  const rows = await db.all<Omit<Version, "current"> & { current: number }>`
    select versions.id, versions.created_at as "createdAt", versions.created_by as "createdBy", versions.files,
      versions.bytes,
      case when versions.id = canvases.version_id then 1 else 0 end as current
    from versions join canvases on canvases.id = canvas_id
    where canvas_id = ${canvasId} and state = 'stored' order by versions.id desc`;
  return rows.map((row) => ({ ...row, current: row.current === 1 }));
}

/** Makes a stored version the current one again. Throws 404 `NOT_FOUND` if the canvas has no such version. */
export async function publishVersion(canvasId: string, version: string, { db, clock }: Env): Promise<void> {
  const steps = publishSteps(canvasId, version, clock());
  if (isId(version) && (await db.batch(steps)).length === steps.length) return;
  refuse("NOT_FOUND", { message: "The canvas has no such version." });
}
