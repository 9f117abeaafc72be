import { type Step, sql, statementText } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import type { FinishedDeploy } from "./staged-deploys.ts";

/** The SQL condition that the published version of a canvas (first value) has a release (second value). */
const IS_CURRENT = `exists (select 1 from canvases join versions on versions.id = canvases.version_id
  where canvases.id = ? and revoked_at is null and deleted_at is null and disabled_at is null and release_id = ?)`;

const FIND = statementText(`select 1 as current where ${IS_CURRENT}`);
const FINISH = statementText(
  "update staged_deploys set unchanged = 1, warnings = '[]', version_id = (select version_id from canvases where id = ?)",
  `where id = ? and version_id is null and ${IS_CURRENT} returning version_id as version`,
);
const REQUIRE_OTHER = statementText(`update canvases set title = title where id = ? and not ${IS_CURRENT}`);

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
