import { type Step, sql } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";

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
