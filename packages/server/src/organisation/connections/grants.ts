import { sql } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { type Profile, type ProfileRow, profileOf } from "./profiles.ts";

/** A profile that is granted to a canvas. `public`: visitors of a Public link may use it, too. */
export interface Granted extends Profile {
  public: boolean;
}

type GrantedRow = ProfileRow & { public: number };

const grantedOf = (row: Readonly<GrantedRow>): Granted => ({ ...profileOf(row), public: row.public === 1 });

/** Finds a profile that is granted to a canvas. Returns undefined if there is no such profile or it is not granted. */
export async function findGranted(
  canvasId: string,
  profile: string,
  { db }: Env,
): Promise<Granted | undefined> {
  const row = await db.getCached<GrantedRow>`
    select name, origin, methods, header_names, headers, enabled, public
    from connection_grants join connection_profiles on name = profile
    where canvas_id = ${canvasId} and profile = ${profile}`;
  return row && grantedOf(row);
}

/** Lists the profiles that are granted to a canvas, sorted by name. */
export async function listGranted(canvasId: string, { db }: Env): Promise<Granted[]> {
  const rows = await db.all<GrantedRow>`
    select name, origin, methods, header_names, headers, enabled, public
    from connection_grants join connection_profiles on name = profile
    where canvas_id = ${canvasId} order by name`;
  return rows.map(grantedOf);
}

/** A canvas to which a profile is granted. */
export interface GrantRow {
  profile: string;
  canvas_id: string;
  slug: string;
  title: string;
  public: number;
}

/** Lists the grants of all profiles, sorted by the title of the canvas. Leaves out deleted canvases. */
export const listGrants = ({ db }: Env): Promise<GrantRow[]> => db.all<GrantRow>`
  select profile, canvas_id, slug, title, public from connection_grants
  join canvases on canvases.id = canvas_id where deleted_at is null order by title, canvas_id`;

/** Grants a profile to a canvas, or changes the grant. Returns false if there is no such profile or canvas. */
export async function putGrant(
  { profile, canvasId, isPublic }: { profile: string; canvasId: string; isPublic: boolean },
  { db, clock }: Env,
): Promise<boolean> {
  const steps = [
    // Locks the profile, so that it is not deleted meanwhile.
    sql`update connection_profiles set name = name where name = ${profile}`,
    sql`
      insert into connection_grants (canvas_id, profile, public, created_at)
      select id, ${profile}, ${Number(isPublic)}, ${clock()} from canvases
      where id = ${canvasId} and deleted_at is null
      on conflict (canvas_id, profile) do update set public = excluded.public`,
  ];
  return (await db.batch(steps)).length === steps.length;
}

/** Ends a grant. Returns false if there is none. */
export async function deleteGrant(profile: string, canvasId: string, { db }: Env): Promise<boolean> {
  return (
    1 ===
    (await db.withReserve
      .run`delete from connection_grants where profile = ${profile} and canvas_id = ${canvasId}`)
  );
}
