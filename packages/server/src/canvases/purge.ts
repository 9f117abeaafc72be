import { maybe, type Step, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { KEPT } from "./administration.ts";

/** Every row of a canvas, what refers to others first; none of them if it has been restored meanwhile. */
const everythingOf = (id: string, before: number): Step[] => [
  sql`update canvases set updated_at = updated_at where id = ${id} and deleted_at <= ${before}`,
  maybe`delete from records where canvas_id = ${id}`,
  maybe`delete from submissions where canvas_id = ${id}`,
  maybe`delete from counts where canvas_id = ${id}`,
  maybe`delete from kv where canvas_id = ${id}`,
  maybe`delete from kv_scopes where canvas_id = ${id}`,
  maybe`delete from sessions where invite_id in (select id from invites where canvas_id = ${id})`,
  maybe`delete from invites where canvas_id = ${id}`,
  maybe`delete from canvas_people where canvas_id = ${id}`,
  maybe`delete from canvas_teams where canvas_id = ${id}`,
  maybe`delete from version_files where version_id in (select id from versions where canvas_id = ${id})`,
  maybe`delete from versions where canvas_id = ${id}`,
  maybe`delete from slug_claims where canvas_id = ${id}`,
  sql`delete from canvases where id = ${id}`,
];

/** Removes for good what was deleted too long ago to be restored; the sweep of blobs then takes the files. */
export async function purgeCanvases({ db, clock }: Env): Promise<number> {
  const before = clock() - KEPT;
  const gone = await db.all<{
    id: string;
  }>`select id from canvases where deleted_at <= ${before} limit 100`;
  for (const { id } of gone) await db.batch(everythingOf(id, before));
  return gone.length;
}
