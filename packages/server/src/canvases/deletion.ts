import { LIMITS } from "@easel/protocol/limits";
import type { ListedCanvas } from "@easel/protocol/management";
import type { User } from "../access/principal.ts";
import { asKeys, containing, optional, type Sql, type Step, sql, sqlText, step } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { countWithin, paged } from "../http/query.ts";
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
import { CANVAS_BYTES, type CanvasRow, ENTRY_BYTES } from "./store.ts";
import { viewsFor } from "./view.ts";

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
  const removals = removalsFor(env);
  for (const { id } of expired) {
    // After this statement no node can restore the canvas, even if the clock of the node is wrong. The statement changes no row if the
    // canvas has been restored since it was read.
    const taken =
      await db.run`update canvases set deleted_at = 0 where id = ${id} and deleted_at <= ${before}`;
    if (taken === 0) continue;
    for (const { some } of removals) await some(id);
    await db.batch([...removals.map(({ all }) => all(id)), sql`delete from canvases where id = ${id}`]);
  }
  return expired.length;
}

type DeletedRow = Omit<CanvasRow, "role"> & { deleted_at: number; freed: string | null };

/**
 * Reads a page of the deleted canvases of an owner that can still be restored, newest first, with ids that are less than `cursor`. `q` must
 * occur in the title or the slug. A draft (a canvas without a version) is listed with its former slug, unless another canvas has it now.
 * The page has fewer than `limit` canvases if the response would be too large otherwise.
 */
export async function listDeleted(
  user: Pick<User, "id" | "restriction">,
  { q, cursor, limit }: { q: string; cursor: string; limit: number },
  env: Env,
): Promise<{ canvases: ListedCanvas[]; nextCursor: string | null }> {
  const { db, clock } = env;
  const like = containing(q);
  const only = user.restriction?.canvasId ?? null;
  const after = clock() - RETENTION_MS;
  const sizes = await db.all<{ id: string; bytes: number }>`
    select id, ${CANVAS_BYTES} + coalesce(octet_length(metadata), 0) + coalesce(octet_length(runtime_policy), 0)
      + ${ENTRY_BYTES} * ((select count(*) from canvas_people where canvas_id = canvases.id)
        + (select count(*) from canvas_teams where canvas_id = canvases.id)) as bytes
    from canvases
    where owner_id = ${user.id} and id < ${cursor} and deleted_at > ${after} and id = coalesce(${only}, id)
      and (lower(title) like ${like} escape '!' or slug like ${like} escape '!'
        or exists (select 1 from slug_claims where canvas_id = canvases.id and until = 0
          and slug_claims.slug like ${like} escape '!'))
    order by id desc limit ${limit + 1}`;
  const fits = countWithin(sizes, LIMITS.canvasPageBytes.value, ({ bytes }) => Number(bytes));
  const { entries, nextCursor } = paged(sizes, Math.min(limit, fits), ({ id }) => id);
  const rows = await db.all<DeletedRow>`
    select canvases.*, users.email as owner_email, users.name as owner_name,
      (select slug from slug_claims where canvas_id = canvases.id and until = 0) as freed
    from canvases join users on users.id = owner_id
    where canvases.id in (select key from json_each(${asKeys(entries.map(({ id }) => id))})) and deleted_at > ${after}
    order by canvases.id desc`;
  const views = await viewsFor(
    rows.map((row) => ({ ...row, slug: row.freed ?? row.slug, role: "owner" })),
    env,
  );
  const canvases = views.map((view, index) => {
    const deletedAt = rows[index]?.deleted_at ?? 0;
    return { ...view, deletedAt, purgeAt: deletedAt + RETENTION_MS };
  });
  return { canvases, nextCursor };
}

/** Reads the state of a deleted canvas that its owner can still restore. Returns undefined if there is none with this id. */
export function findDeleted(id: string, ownerId: string, { db, clock }: Env) {
  return db.get<{ disabled_at: number | null; disabled_reason: string | null }>`
    select disabled_at, disabled_reason from canvases
    where id = ${id} and owner_id = ${ownerId} and deleted_at > ${clock() - RETENTION_MS}`;
}

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
