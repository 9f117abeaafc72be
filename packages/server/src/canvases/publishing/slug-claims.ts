import { type Optional, optional, type Sql, type Step, sql } from "../../drivers/db/db.ts";

/** The time for which a slug stays reserved after its canvas has stopped using it. */
const RESERVED_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Builds the batch step that claims a slug for a canvas. It changes no row if another canvas has the slug, if the slug is still reserved
 * for another canvas, or if a canvas of another person was ever published under it. `ownerId` is the owner of a canvas that is not inserted
 * yet. Only one of several concurrent claims succeeds (decision 011).
 */
export const claimSlug = (slug: string, canvasId: string, now: number, ownerId: string | null = null): Sql =>
  sql`insert into slug_claims (slug, canvas_id, until)
    select cast(${slug} as text), cast(${canvasId} as text), cast(null as bigint)
    where not exists (select 1 from slug_owners where slug = ${slug}
      and user_id <> coalesce(cast(${ownerId} as text), (select owner_id from canvases where id = ${canvasId})))
    on conflict (slug) do update set canvas_id = excluded.canvas_id, until = null
    where slug_claims.canvas_id = excluded.canvas_id or slug_claims.until <= ${now}`;

/**
 * Builds the batch step that releases every slug of a canvas except `kept`. Each released slug stays reserved for the canvas for 30 days.
 */
export const releaseSlugs = (canvasId: string, kept: string, now: number): Sql =>
  sql`update slug_claims set until = ${now + RESERVED_MS}
    where canvas_id = ${canvasId} and slug <> ${kept} and until is null`;

/**
 * Builds the batch step that keeps the slug of a canvas for its owner for good, unless the canvas is a draft (a canvas without a version):
 * nobody else gets the slug of a page that browsers may have kept parts of (decision 052).
 */
export const keepSlug = (canvasId: string): Optional =>
  optional`insert into slug_owners (slug, user_id)
    select slug, owner_id from canvases where id = ${canvasId} and version_id is not null
    on conflict (slug) do update set user_id = excluded.user_id where slug_owners.user_id <> excluded.user_id`;

/** Builds the batch step that hands the slugs which a canvas has or had to its owner, after this owner has changed. */
export const handOverSlugs = (canvasId: string): Optional =>
  optional`update slug_owners set user_id = (select owner_id from canvases where id = ${canvasId})
    where slug in (select slug from slug_claims where canvas_id = ${canvasId})`;

/**
 * Returns the slug that a draft (a canvas without a version) has while it is deleted, such as `deleted-{canvasId}`. The former slug of the
 * draft is then free for other canvases.
 */
export const parkedSlug = (canvasId: string): string => `deleted-${canvasId}`;

/**
 * Builds the batch steps that free the slug of a deleted draft (a canvas without a version) for other canvases. They give the draft a
 * substitute slug until it is restored or removed for good.
 */
export const parkSlug = (canvasId: string, now: number): Step[] => [
  optional`update slug_claims set until = 0 where canvas_id = ${canvasId} and until is null`,
  claimSlug(parkedSlug(canvasId), canvasId, now),
];

/**
 * Builds the batch step that gives a deleted draft back the slug that it had before its deletion, unless another canvas has taken this
 * slug.
 */
export const reclaimSlug = (canvasId: string): Optional =>
  optional`update slug_claims set until = null where canvas_id = ${canvasId} and until = 0`;

/**
 * Builds the batch step that deletes a draft's claim to the slug that it had before its deletion. It is for drafts that are restored under
 * another slug.
 */
export const forgetFreedSlugs = (canvasId: string): Optional =>
  optional`delete from slug_claims where canvas_id = ${canvasId} and until = 0`;

/**
 * Builds the batch step that removes the substitute slug of a restored draft, if `reclaimSlug` has given the draft its former slug back.
 */
export const dropParkedSlug = (canvasId: string): Optional =>
  optional`delete from slug_claims where canvas_id = ${canvasId} and slug = ${parkedSlug(canvasId)}
    and slug <> (select slug from canvases where id = ${canvasId})`;
