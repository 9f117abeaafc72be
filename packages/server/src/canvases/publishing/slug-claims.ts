import { type Sql, sql } from "../../drivers/db/db.ts";

/** The time for which a slug that a canvas gave up stays reserved. */
const RESERVED_MS = 30 * 24 * 60 * 60 * 1000;

/** Claims a slug for a canvas; changes no row while another canvas has or reserves it. One of several concurrent claims succeeds. */
export const claimSlug = (slug: string, canvasId: string, now: number): Sql =>
  sql`insert into slug_claims (slug, canvas_id, until) values (${slug}, ${canvasId}, null)
    on conflict (slug) do update set canvas_id = excluded.canvas_id, until = null
    where slug_claims.canvas_id = excluded.canvas_id or slug_claims.until <= ${now}`;

/** Releases every slug of a canvas but `kept`; each stays reserved for 30 days. */
export const releaseSlugs = (canvasId: string, kept: string, now: number): Sql =>
  sql`update slug_claims set until = ${now + RESERVED_MS}
    where canvas_id = ${canvasId} and slug <> ${kept} and until is null`;
