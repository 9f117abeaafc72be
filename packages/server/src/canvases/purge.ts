import { type Db, optional, type Step, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { KEPT_MS } from "./supervision.ts";
import { removeOfCanvas } from "./version-files.ts";

/** So many rows of data are removed at once: others get their turn between. */
const AT_ONCE = 100;

/** Removes what pages have kept in a canvas, which may be a lot. */
async function emptyOut(id: string, { run }: Db): Promise<void> {
  const some: (() => Promise<number>)[] = [
    () => run`
      delete from records where id in (select id from records where canvas_id = ${id} limit ${AT_ONCE})`,
    () => run`
      delete from submissions where canvas_id = ${id} and (collection, user_id) in
        (select collection, user_id from submissions where canvas_id = ${id} limit ${AT_ONCE})`,
    () => run`
      delete from kv where canvas_id = ${id} and (scope, key) in
        (select scope, key from kv where canvas_id = ${id} limit ${AT_ONCE})`,
  ];
  for (const remove of some) while ((await remove()) > 0);
}

/** Every other row of a canvas, what refers to others first. */
const restOf = (id: string): Step[] => [
  optional`delete from counts where canvas_id = ${id}`,
  optional`delete from kv_scopes where canvas_id = ${id}`,
  optional`delete from sessions where invite_id in (select id from invites where canvas_id = ${id})`,
  optional`delete from invites where canvas_id = ${id}`,
  optional`delete from canvas_people where canvas_id = ${id}`,
  optional`delete from canvas_teams where canvas_id = ${id}`,
  optional`delete from bundle_blobs where canvas_id = ${id}`,
  optional`delete from bundle_bytes where canvas_id = ${id}`,
  optional`delete from slug_claims where canvas_id = ${id}`,
  sql`delete from canvases where id = ${id}`,
];

/** Removes for good what was deleted too long ago to be restored; the sweep of blobs then takes the files. */
export async function purgeCanvases(env: Env): Promise<number> {
  const { db } = env;
  const before = env.clock() - KEPT_MS;
  const gone = await db.all<{
    id: string;
  }>`select id from canvases where deleted_at <= ${before} limit 100`;
  for (const { id } of gone) {
    // From here on nobody restores it, whatever their clock says; unless somebody has done so by now.
    const taken =
      await db.run`update canvases set deleted_at = 0 where id = ${id} and deleted_at <= ${before}`;
    if (taken === 0) continue;
    await emptyOut(id, db);
    await db.run`update versions set state = 'removing' where canvas_id = ${id}`;
    await removeOfCanvas(id, env);
    await db.batch(restOf(id));
  }
  return gone.length;
}
