import type { ConnectionGrant } from "@easel/protocol/management";
import type { ConnectionMethod } from "@easel/protocol/policy";
import { type GrantCaller, limitsFor } from "../../access/rights.ts";
import { type Dependent, sql } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { openHeaders, type Profile, type ProfileRow, type ProtectedHeaders, profileOf } from "./profiles.ts";

/** A profile that is granted to a canvas. */
interface Granted extends Profile {
  grant: ConnectionGrant;
}

/** The columns of `connection_grants` that a `ConnectionGrant` is read from. */
interface GrantColumns {
  public: number;
  guests: number;
  limits: string;
}

type GrantedRow = ProfileRow & GrantColumns;

const grantOf = (row: Readonly<GrantColumns>): ConnectionGrant => ({
  public: row.public === 1,
  guests: row.guests === 1,
  limits: JSON.parse(row.limits),
});
const grantedOf = (row: Readonly<GrantedRow>): Granted => ({ ...profileOf(row), grant: grantOf(row) });

/** Finds a profile that is granted to a canvas. Returns undefined if there is no such profile or it is not granted. */
export async function findGranted(
  canvasId: string,
  profile: string,
  { db }: Env,
): Promise<Granted | undefined> {
  const row = await db.getCached<GrantedRow & Dependent>`
    select name, origin, methods, request_headers, header_names, headers, enabled, public, guests, limits,
      'canvas ' || canvas_id || ',instance' as depends_on
    from connection_grants join connection_profiles on name = profile
    where canvas_id = ${canvasId} and profile = ${profile}`;
  return row && grantedOf(row);
}

/** Lists the profiles that are granted to a canvas, sorted by name. */
export async function listGranted(canvasId: string, { db }: Env): Promise<Granted[]> {
  const rows = await db.all<GrantedRow>`
    select name, origin, methods, request_headers, header_names, headers, enabled, public, guests, limits
    from connection_grants join connection_profiles on name = profile
    where canvas_id = ${canvasId} order by name`;
  return rows.map(grantedOf);
}

/** A grant, with the profile and the canvas. */
export interface ListedGrant extends ConnectionGrant {
  profile: string;
  canvasId: string;
  slug: string;
  title: string;
}

/** Lists the grants of all profiles, sorted by the title of the canvas. Leaves out deleted canvases. */
export async function listGrants({ db }: Env): Promise<ListedGrant[]> {
  const rows = await db.all<
    GrantColumns & { profile: string; canvas_id: string; slug: string; title: string }
  >`
    select profile, canvas_id, slug, title, public, guests, limits from connection_grants
    join canvases on canvases.id = canvas_id where deleted_at is null order by title, canvas_id`;
  return rows.map((row) => {
    const { profile, canvas_id: canvasId, slug, title } = row;
    return { profile, canvasId, slug, title, ...grantOf(row) };
  });
}

/** Grants a profile to a canvas, or replaces the grant. Returns false if there is no such profile or canvas. */
export async function putGrant(
  profile: string,
  canvasId: string,
  grant: ConnectionGrant,
  { db, clock }: Env,
): Promise<boolean> {
  const steps = [
    // Locks the profile, so that it is not deleted meanwhile.
    sql`update connection_profiles set name = name where name = ${profile}`,
    sql`
      insert into connection_grants (canvas_id, profile, public, guests, limits, created_at)
      select id, ${profile}, ${Number(grant.public)}, ${Number(grant.guests)}, ${JSON.stringify(grant.limits)}, ${clock()}
      from canvases where id = ${canvasId} and deleted_at is null
      on conflict (canvas_id, profile) do update
      set public = excluded.public, guests = excluded.guests, limits = excluded.limits`,
  ];
  return (await db.batch(steps)) === "done";
}

/** Ends a grant. Returns false if there is none. */
export async function deleteGrant(profile: string, canvasId: string, { db }: Env): Promise<boolean> {
  return (
    1 ===
    (await db.withReserve
      .run`delete from connection_grants where profile = ${profile} and canvas_id = ${canvasId}`)
  );
}

/** The protected headers of a profile that can be used, or the error code of one that cannot. */
export type Usability = ProtectedHeaders | "CONNECTION_DISABLED" | "CONNECTION_KEY_UNAVAILABLE";

/** Returns the protected headers of a profile if it can be used now, otherwise the code of the error for a call. */
export function usabilityOf(profile: Profile, env: Env): Usability {
  if (!profile.enabled) return "CONNECTION_DISABLED";
  if (profile.sealed === null) return {};
  return openHeaders(profile.sealed, profile, env) ?? "CONNECTION_KEY_UNAVAILABLE";
}

/**
 * Returns the methods of every profile that is granted to a canvas, keyed by profile name, as far as the grant allows them to the caller. A
 * profile that cannot be used now has an empty list.
 */
export async function usableOn(
  canvasId: string,
  caller: GrantCaller,
  env: Env,
): Promise<Record<string, ConnectionMethod[]>> {
  const methodsOf = (granted: Granted) => {
    const limits = limitsFor(granted.grant, caller);
    return limits === null || typeof usabilityOf(granted, env) === "string"
      ? []
      : granted.methods.filter((each) => limits.methods?.includes(each) ?? true);
  };
  return Object.fromEntries((await listGranted(canvasId, env)).map((each) => [each.name, methodsOf(each)]));
}
