import { type Step, sql } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";

/**
 * Throws 409 `VERSION_CONFLICT` unless the published version of a canvas is `expected`, where null means that there is none. Adds the id of
 * the published version to the error as `currentVersion`. If `expected` is undefined, does nothing.
 */
export async function requireExpected(
  canvasId: string,
  expected: string | null | undefined,
  { db }: Env,
): Promise<void> {
  if (expected === undefined) return;
  const row = await db.get<{ version: string | null }>`
    select version_id as version from canvases where id = ${canvasId}`;
  const currentVersion = row?.version ?? null;
  if (currentVersion !== expected) refuse("VERSION_CONFLICT", { currentVersion });
}

/**
 * Builds the batch step that rolls back its batch if the published version of a canvas is not `expected`. The step also locks the row of
 * the canvas.
 */
export const expectedStep = (canvasId: string, expected: string | null): Step => sql`
  update canvases set title = title where id = ${canvasId} and version_id is not distinct from ${expected}`;
