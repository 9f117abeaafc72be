import { type Sql, sql } from "../../drivers/db/db.ts";

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
