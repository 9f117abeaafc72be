import { optional, type Sql, type Step, sql, sqlText, step } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { type Removing, rowsOfCanvas, tablesOf } from "./canvas-data.ts";
import { changeCanvas } from "./change-canvas.ts";
import { lockOwner, refuseOver, withinCanvases } from "./owner-quotas.ts";
import { requireSlug } from "./publishing/slug.ts";
import {
  claimSlug,
  dropParkedSlug,
  forgetFreedSlugs,
  keepSlug,
  parkedSlug,
  reclaimSlug,
  releaseSlugs,
} from "./publishing/slug-claims.ts";
import type { StoredCanvas } from "./store.ts";

/** The time after which a deleted canvas is removed for good. Until then it can be restored. */
export const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

/** The maximum number of rows that one statement removes. It is small because in SQLite a write blocks the event loop. */
const AT_ONCE = 100;

/** Removes a canvas's rows from one table: `some` removes them in small batches; `all` builds the step that removes the rest. */
interface Removal {
  some(canvasId: string): Promise<void>;
  all(canvasId: string): Step;
}

/** Builds the removals for every table in which rows belong to canvases. */
function removalsFor(env: Removing): Removal[] {
  return tablesOf(env.canvasData).map(([name, table]) => {
    const [key, where] = [table.key.join(", "), rowsOfCanvas(table)];
    const some = sqlText(
      `delete from ${name} where (${key}) in (select ${key} from ${name} where ${where} limit ${AT_ONCE})`,
    );
    const all = sqlText(`delete from ${name} where ${where}`);
    return {
      async some(canvasId) {
        if (table.remove !== undefined) return table.remove(canvasId, env);
        while ((await env.db.withReserve.run(some, canvasId)) === AT_ONCE);
      },
      all: (canvasId) => optional(all, canvasId),
    };
  });
}

/**
 * Removes at most 100 canvases that were deleted too long ago to be restored, with the blobs of their bundles and all their rows in other
 * tables. Returns the number of such canvases that were found. `sweepBlobs` removes other blobs.
 */
export async function purgeCanvases(env: Removing, before = env.clock() - RETENTION_MS): Promise<number> {
  const db = env.db.withReserve;
  const expired = await db.all<{
    id: string;
  }>`select id from canvases where deleted_at <= ${before} limit 100`;
  for (const { id } of expired) {
    // After this statement no node can restore the canvas, even if the clock of the node is wrong. The statement changes no row if the
    // canvas has been restored since it was read.
    const taken =
      await db.run`update canvases set deleted_at = 0 where id = ${id} and deleted_at <= ${before}`;
    if (taken === 1) await removeAllOf(id, env);
  }
  return expired.length;
}

/** Removes a canvas that nobody can restore any more, with all that belongs to it. What is removed already is passed over. */
async function removeAllOf(id: string, env: Removing): Promise<void> {
  const removals = removalsFor(env);
  for (const { some } of removals) await some(id);
  await env.db.withReserve.batch([
    ...removals.map(({ all }) => all(id)),
    sql`delete from canvases where id = ${id}`,
  ]);
}

/**
 * Removes a deleted canvas for good before its time, for its owner. If the process ends meanwhile, `purgeCanvases` removes the rest. Throws
 * 404 `NOT_FOUND` if the owner has no deleted canvas with this id that can be restored, or an administrator has disabled it meanwhile.
 */
export async function purgeOwned(id: string, ownerId: string, env: Env): Promise<void> {
  const taken = await env.db.withReserve.run`
    update canvases set deleted_at = 0
    where id = ${id} and owner_id = ${ownerId} and disabled_at is null and deleted_at > ${env.clock() - RETENTION_MS}`;
  if (taken === 0) refuse("NOT_FOUND");
  await removeAllOf(id, env);
}

/** A deleted canvas that its owner can still restore. */
export type DeletedRow = StoredCanvas & { deleted_at: number };

/** Reads a deleted canvas that its owner can still restore. Returns undefined if there is none with this id. */
export const findDeleted = (
  id: string,
  ownerId: string,
  { db, clock }: Env,
): Promise<DeletedRow | undefined> =>
  db.get<DeletedRow>`
    select * from canvases where id = ${id} and owner_id = ${ownerId} and deleted_at > ${clock() - RETENTION_MS}`;

/** Reads the deleted canvas with an id, or the last one with a slug, as `findDeleted` does. */
export const findDeletedNamed = (
  name: string,
  ownerId: string,
  { db, clock }: Env,
): Promise<DeletedRow | undefined> =>
  db.get<DeletedRow>`
    select * from canvases
    where (id = ${name} or slug = ${name}) and owner_id = ${ownerId} and deleted_at > ${clock() - RETENTION_MS}
    order by deleted_at desc limit 1`;

/** Builds the batch step that locks the row of a deleted canvas which can still be restored. It changes no row if there is none. */
const lockDeleted = (id: string, now: number): Sql =>
  sql`update canvases set title = title where id = ${id} and deleted_at > ${now - RETENTION_MS}`;

/**
 * Restores a deleted canvas under its former slug. The exception is a draft (a canvas without a version) whose slug another canvas has
 * taken: it keeps the substitute slug `deleted-{id}`. Returns false if no deleted canvas with this id can be restored.
 */
export async function restoreCanvas(id: string, { db, clock }: Env): Promise<boolean> {
  const now = clock();
  const outcome = await db.batch([
    // Locks the canvas's row before its slugs, in the same order as `deleteCanvas`, so that the two cannot deadlock.
    lockDeleted(id, now),
    reclaimSlug(id),
    changeCanvas(now)`
      deleted_at = null, slug = coalesce((select slug from slug_claims
          where canvas_id = ${id} and until is null and slug <> ${parkedSlug(id)}), slug)
      where id = ${id}`,
    dropParkedSlug(id),
  ]);
  return outcome === "done";
}

/**
 * Restores a deleted canvas for its owner: under `slug`, or under its former slug if `slug` is undefined. Throws 409 `SLUG_TAKEN` if
 * another canvas has the slug, 409 `QUOTA_EXCEEDED` if the owner has too many canvases, and 404 `NOT_FOUND` if no deleted canvas with this
 * id can be restored.
 */
export async function restoreOwned(
  id: string,
  ownerId: string,
  slug: string | undefined,
  env: Env,
): Promise<void> {
  if (slug !== undefined) requireSlug(slug);
  const now = env.clock();
  const restored =
    slug === undefined
      ? changeCanvas(now)`
            deleted_at = null, slug = (select slug from slug_claims
              where canvas_id = ${id} and until is null and slug <> ${parkedSlug(id)})
          where id = ${id} and exists (select 1 from slug_claims
            where canvas_id = ${id} and until is null and slug <> ${parkedSlug(id)})`
      : changeCanvas(now)`
          deleted_at = null, slug = ${slug}
          where id = ${id}`;
  const outcome = await env.db.batch([
    lockOwner(id),
    lockDeleted(id, now),
    slug === undefined ? reclaimSlug(id) : step("taken", claimSlug(slug, id, now)),
    step("taken", restored),
    ...(slug === undefined ? [] : [forgetFreedSlugs(id), optional(...releaseSlugs(id, slug, now))]),
    dropParkedSlug(id),
    keepSlug(id),
    step("full", withinCanvases(id, env)),
  ]);
  if (outcome === "done") return;
  if (outcome === "full") await refuseOver("canvases.person", ownerId, env);
  refuse(outcome === "taken" ? "SLUG_TAKEN" : "NOT_FOUND");
}
