import { optional, type Sql, type Step, sql } from "../../drivers/db/db.ts";

/** The time for which a slug that a canvas gave up stays reserved. */
const RESERVED_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Builds the step that claims a slug for a canvas. It changes no row if another canvas has or reserves the slug. One of several concurrent
 * claims succeeds.
 */
export const claimSlug = (slug: string, canvasId: string, now: number): Sql =>
  sql`insert into slug_claims (slug, canvas_id, until) values (${slug}, ${canvasId}, null)
    on conflict (slug) do update set canvas_id = excluded.canvas_id, until = null
    where slug_claims.canvas_id = excluded.canvas_id or slug_claims.until <= ${now}`;

/** Builds the step that releases every slug of a canvas except `kept`. Each stays reserved for 30 days. */
export const releaseSlugs = (canvasId: string, kept: string, now: number): Sql =>
  sql`update slug_claims set until = ${now + RESERVED_MS}
    where canvas_id = ${canvasId} and slug <> ${kept} and until is null`;

/** Returns the slug that a deleted draft gets instead of its own. No other canvas has it. */
export const parkedSlug = (canvasId: string): string => `deleted-${canvasId}`;

/** Builds the steps by which a deleted draft gives its slug to the next claim, and has another one until it is restored or purged. */
export const parkSlug = (canvasId: string, now: number): Step[] => [
  optional`update slug_claims set until = 0 where canvas_id = ${canvasId} and until is null`,
  claimSlug(parkedSlug(canvasId), canvasId, now),
];

/** Builds the step that claims the slug of a deleted draft again, unless another canvas has it by now. */
export const reclaimSlug = (canvasId: string): Step =>
  optional`update slug_claims set until = null where canvas_id = ${canvasId} and until = 0`;

/** Builds the step that gives up the other slug after `reclaimSlug`, if the canvas has its own again. */
export const dropParkedSlug = (canvasId: string): Step =>
  optional`delete from slug_claims where canvas_id = ${canvasId} and slug = ${parkedSlug(canvasId)}
    and slug <> (select slug from canvases where id = ${canvasId})`;
