import type { Json } from "@easel/protocol/types";
import { optional, sql, sqlText, step, textOf } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { isSlug } from "../http/canvas-path.ts";
import { refuse } from "../http/refusal.ts";
import { changeCanvas } from "./change-canvas.ts";
import { requireSlug } from "./publishing/slug.ts";
import { claimSlug, keepSlug, parkedSlug, parkSlug, releaseSlugs } from "./publishing/slug-claims.ts";
import type { StoredCanvas } from "./store.ts";

/** Changes to a canvas by its owner or editors. A field that is left out keeps its value; null clears `metadata`. */
export interface CanvasPatch {
  title?: string | undefined;
  slug?: string | undefined;
  tags?: string[] | undefined;
  metadata?: { [name: string]: Json } | null | undefined;
  archived?: boolean | undefined;
  galleryListed?: boolean | undefined;
  galleryTemplatable?: boolean | undefined;
  discoverability?: "link_only" | "listed" | undefined;
  /** Whether a browser gets `index.html` when it navigates to a path for which the canvas has no file. */
  spa?: boolean | undefined;
}

const bit = (value: boolean | undefined) => (value === undefined ? null : Number(value));

/** Whether a canvas has this slug. */
const hasSlug = async (id: string, slug: string, { db }: Env): Promise<boolean> =>
  (await db.get`select 1 as found from canvases where id = ${id} and slug = ${slug}`) !== undefined;

/**
 * Updates a canvas, and returns its row as it is now. Throws 400 `INVALID_BODY` for a new slug that is malformed or reserved for the service, 409 `SLUG_TAKEN` for a slug that is
 * in use, reserved after a deletion or rename, or kept for another person, and 404 `NOT_FOUND` for a deleted canvas.
 */
export async function patchCanvas(id: string, patch: CanvasPatch, env: Env): Promise<StoredCanvas> {
  const { db } = env;
  if (patch.slug !== undefined && !(isSlug(patch.slug) && (await hasSlug(id, patch.slug, env))))
    requireSlug(patch.slug);
  const now = env.clock();
  const { slug, title = null, tags, metadata, archived, discoverability = null } = patch;
  const changed = changeCanvas(now)`
    slug = coalesce(${slug ?? null}, slug), title = coalesce(${title}, title),
      tags = coalesce(${tags === undefined ? null : JSON.stringify(tags)}, tags),
      metadata = case when cast(${Number(metadata === undefined)} as integer) = 1 then metadata
        else cast(${metadata == null ? null : JSON.stringify(metadata)} as text) end,
      archived_at = case cast(${bit(archived)} as integer) when 0 then null
        when 1 then coalesce(archived_at, ${now}) else archived_at end,
      gallery_listed = coalesce(${bit(patch.galleryListed)}, gallery_listed),
      gallery_templatable = coalesce(${bit(patch.galleryTemplatable)}, gallery_templatable),
      discoverability = coalesce(${discoverability}, discoverability), spa = coalesce(${bit(patch.spa)}, spa)
    where id = ${id} and deleted_at is null`;
  if (slug === undefined) {
    const [text, ...values] = changed;
    const [row] = await db.returning<StoredCanvas>(sqlText(textOf(text), "returning *"), ...values);
    return row ?? refuse("NOT_FOUND");
  }
  const outcome = await db.batch([
    // Locks the canvas's row first, so that concurrent renames run one after the other.
    sql`update canvases set title = title where id = ${id} and deleted_at is null`,
    step("taken", claimSlug(slug, id, now)),
    changed,
    optional(...releaseSlugs(id, slug, now)),
    keepSlug(id),
  ]);
  if (outcome !== "done") refuse(outcome === "taken" ? "SLUG_TAKEN" : "NOT_FOUND");
  return (await db.get<StoredCanvas>`select * from canvases where id = ${id}`) ?? refuse("NOT_FOUND");
}

/** Takes a canvas offline until it is published again. */
export async function unpublishCanvas(id: string, { db, clock }: Env): Promise<void> {
  const now = clock();
  await db.withReserve.run(
    ...changeCanvas(now)`
    revoked_at = coalesce(revoked_at, ${now})
    where id = ${id} and deleted_at is null`,
  );
}

/**
 * Marks a draft, which is a canvas that never had a version, as deleted. Its slug is free at once. Returns false if the canvas is no draft.
 */
export async function deleteDraft(id: string, { db, clock }: Env): Promise<boolean> {
  const now = clock();
  const steps = [
    changeCanvas(now)`
      deleted_at = ${now}, slug = ${parkedSlug(id)}
      where id = ${id} and deleted_at is null and version_id is null`,
    ...parkSlug(id, now),
  ];
  return (await db.withReserve.batch(steps)) === "done";
}

/**
 * Marks a canvas as deleted. Its owner and administrators can restore it for 30 days. Its slug stays reserved for this time. The slug
 * of a draft is free at once.
 */
export async function deleteCanvas(id: string, env: Env): Promise<void> {
  if (await deleteDraft(id, env)) return;
  const { db, clock } = env;
  const now = clock();
  await db.withReserve.run(
    ...changeCanvas(now)`
    deleted_at = ${now}
    where id = ${id} and deleted_at is null`,
  );
}
