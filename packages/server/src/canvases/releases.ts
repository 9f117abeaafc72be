import { type Step, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import type { FinishedDeploy } from "./staged-deploys.ts";

/**
 * Finishes a staged deploy without publishing, if the published version of its canvas has the release of the deploy. Returns that version,
 * or undefined if it has another release, or if the deploy has none.
 */
export async function finishAsCurrent(
  { id, canvasId, releaseId }: { id: string; canvasId: string; releaseId: string | null },
  { db }: Env,
): Promise<FinishedDeploy | undefined> {
  if (releaseId === null) return undefined;
  const [row] = await db.returning<{ version: string }>`
    update staged_deploys set unchanged = 1, warnings = '[]', version_id = (select version_id from canvases where id = ${canvasId})
    where id = ${id} and version_id is null and exists (
      select 1 from canvases join versions on versions.id = canvases.version_id
      where canvases.id = ${canvasId} and revoked_at is null and deleted_at is null and disabled_at is null
        and release_id = ${releaseId})
    returning version_id as version`;
  return row && { version: row.version, warnings: [], unchanged: true };
}

/** Whether the published version of a canvas has this release. */
export async function isCurrentRelease(
  canvasId: string,
  releaseId: string | null,
  { db }: Env,
): Promise<boolean> {
  if (releaseId === null) return false;
  const row = await db.get`
    select 1 as current from canvases join versions on versions.id = canvases.version_id
    where canvases.id = ${canvasId} and revoked_at is null and release_id = ${releaseId}`;
  return row !== undefined;
}

/**
 * Builds the batch steps that roll back their batch if the published version of a canvas has this release. The first step locks the row of
 * the canvas, so that the second sees what a concurrent deploy has published.
 */
export const otherReleaseSteps = (canvasId: string, releaseId: string): Step[] => [
  sql`update canvases set title = title where id = ${canvasId}`,
  sql`update canvases set title = title where id = ${canvasId} and (revoked_at is not null or not exists (
    select 1 from versions where versions.id = canvases.version_id and release_id = ${releaseId}))`,
];
