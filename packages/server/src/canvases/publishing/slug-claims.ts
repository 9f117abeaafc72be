import { type Sql, sql } from "../../drivers/db/db.ts";

/** How long a slug that a canvas gave up rests, in milliseconds. */
const REST = 30 * 24 * 60 * 60 * 1000;

/** Makes a slug a canvas's; changes nothing while it is another's. Of several who claim it at once one gets it. */
export const claimSlug = (slug: string, canvasId: string, now: number): Sql =>
  sql`insert into slug_claims (slug, canvas_id, until) values (${slug}, ${canvasId}, null)
    on conflict (slug) do update set canvas_id = excluded.canvas_id, until = null
    where slug_claims.canvas_id = excluded.canvas_id or slug_claims.until <= ${now}`;

/** Gives up the slugs of a canvas but this one. */
export const releaseSlugs = (canvasId: string, kept: string, now: number): Sql =>
  sql`update slug_claims set until = ${now + REST}
    where canvas_id = ${canvasId} and slug <> ${kept} and until is null`;
