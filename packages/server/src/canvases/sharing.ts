import { hash } from "node:crypto";
import type { Access } from "@easel/protocol/types";
import type { User } from "../access/principal.ts";
import { asKeys, type Optional, optional, type Sql, sql, step } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { changeCanvas } from "./change-canvas.ts";

type GrantedRole = "editor" | "viewer";

/** A person with whom a canvas is shared, and their role. */
export interface PersonEntry {
  email: string;
  role: GrantedRole;
}

/** A person with whom a canvas is shared, with their name. `name` is null if the person has never signed in. */
export interface NamedPerson extends PersonEntry {
  name: string | null;
}

/** A team with which a canvas is shared, and the role of its members. */
export interface TeamEntry {
  id: string;
  name: string;
  role: GrantedRole;
}

/** The people and teams with which a canvas is shared. */
export interface Shared {
  people: NamedPerson[];
  teams: TeamEntry[];
}

/**
 * Reads the people and teams with which these canvases are shared. Returns a map from the id of a canvas to its people, sorted by e-mail
 * address, and its teams, sorted by name. A canvas that is shared with nobody has no entry.
 */
export async function listShared(canvasIds: string[], { db }: Env): Promise<Map<string, Shared>> {
  const keys = asKeys(canvasIds);
  const rows = await db.all<{
    canvas_id: string;
    team: string | null;
    email: string;
    name: string;
    role: GrantedRole;
  }>`
    select canvas_id, null as team, canvas_people.email, users.name, role, canvas_people.email as sorted
    from canvas_people left join users on users.email = canvas_people.email
    where canvas_id in (select key from json_each(${keys}))
    union all
    select canvas_id, teams.id, '', name, role, lower(name)
    from canvas_teams join teams on teams.id = team_id
    where canvas_id in (select key from json_each(${keys}))
    order by sorted, team`;
  const shared = new Map<string, Shared>();
  for (const { canvas_id, team, email, name, role } of rows) {
    const entry = shared.get(canvas_id) ?? { people: [], teams: [] };
    if (team === null) entry.people.push({ email, role, name });
    else entry.teams.push({ id: team, name, role });
    shared.set(canvas_id, entry);
  }
  return shared;
}

/** A role that the people list of a canvas or one of its teams gives an address. `team` is null for the people list. */
export interface Listing {
  role: GrantedRole;
  team: { id: string; name: string } | null;
}

/** Reads the roles that the people list and the teams of a canvas give an address, the strongest first. */
export async function listingsOf(canvasId: string, email: string, { db }: Env): Promise<Listing[]> {
  const rows = await db.all<{ role: GrantedRole; id: string | null; name: string }>`
    select role, null as id, '' as name from canvas_people where canvas_id = ${canvasId} and email = ${email}
    union all
    select role, teams.id, name from canvas_teams
    join team_members on team_members.team_id = canvas_teams.team_id and email = ${email}
    join teams on teams.id = canvas_teams.team_id
    where canvas_id = ${canvasId}
    order by role, name`;
  return rows.map(({ role, id, name }) => ({ role, team: id === null ? null : { id, name } }));
}

/** Returns the ids of the teams in `ids` that the user created or is a member of. */
export async function visibleTeams(ids: string[], user: User, { db }: Env): Promise<string[]> {
  const rows = await db.all<{ id: string }>`
    select id from teams where id in (select key from json_each(${asKeys(ids)})) and (created_by = ${user.id}
      or exists (select 1 from team_members where team_id = teams.id and email = ${user.email}))`;
  return rows.map(({ id }) => id);
}

/**
 * Changes to the sharing settings of a canvas, to be saved. A field that is left out keeps its value, and null clears the field. `expiresAt`
 * is in epoch milliseconds.
 */
export interface Sharing {
  access?: Access | undefined;
  passwordHash?: string | null | undefined;
  expiresAt?: number | null | undefined;
  /** The id of the home organisation to set if the canvas has none. */
  org?: string | undefined;
  people?: PersonEntry[] | undefined;
  teams?: { id: string; role: GrantedRole }[] | undefined;
}

/** The sharing settings of a canvas, as they were read. */
export interface SharingState extends Shared {
  access: Access;
  password_hash: string | null;
  expires_at: number | null;
}

/** Returns the revision of sharing settings, a text that is another one for other settings. Names do not count. */
export function sharingRevision({ access, password_hash, expires_at, people, teams }: SharingState): string {
  const lists = [
    people.map(({ email, role }) => `${email} ${role}`).sort(),
    teams.map(({ id, role }) => `${id} ${role}`).sort(),
  ];
  const state = JSON.stringify([access, password_hash, expires_at, lists]);
  return hash("sha256", state, "base64url").slice(0, 22);
}

/** Reads the sharing settings of a canvas. Returns undefined if it is deleted. */
export async function readSharing(canvasId: string, env: Env): Promise<SharingState | undefined> {
  const [row, shared] = await Promise.all([
    env.db.get<Omit<SharingState, keyof Shared>>`
      select access, password_hash, expires_at from canvases where id = ${canvasId} and deleted_at is null`,
    listShared([canvasId], env),
  ]);
  return row && { ...row, ...(shared.get(canvasId) ?? { people: [], teams: [] }) };
}

/** Builds the batch step that changes no row unless the sharing settings of a canvas are those that were read. */
const asRead = (
  canvasId: string,
  { access, password_hash, expires_at, people, teams }: SharingState,
): Sql => sql`
  update canvases set title = title where id = ${canvasId} and access = ${access}
    and coalesce(password_hash, '') = ${password_hash ?? ""} and coalesce(expires_at, -1) = ${expires_at ?? -1}
    and (select count(*) from canvas_people where canvas_id = ${canvasId}) = ${people.length}
    and (select count(*) from canvas_people where canvas_id = ${canvasId} and email || ' ' || role in (
      select key from json_each(${asKeys(people.map(({ email, role }) => `${email} ${role}`))}))) = ${people.length}
    and (select count(*) from canvas_teams where canvas_id = ${canvasId}) = ${teams.length}
    and (select count(*) from canvas_teams where canvas_id = ${canvasId} and team_id || ' ' || role in (
      select key from json_each(${asKeys(teams.map(({ id, role }) => `${id} ${role}`))}))) = ${teams.length}`;

/**
 * Saves sharing settings in one batch, without checking them. A canvas that is made private leaves the gallery. Returns "gone" if the canvas is
 * deleted, and "changed" if the settings are not those in `read`, unless that is left out. Nothing is saved then. `mails` are steps of the same batch.
 */
export function setSharing(
  canvasId: string,
  { access, passwordHash, expiresAt, org, people, teams }: Sharing,
  { db, clock }: Env,
  read?: SharingState,
  mails: Optional[] = [],
): Promise<"done" | "gone" | "changed"> {
  const now = clock();
  const lists: Optional[] = [];
  const steps = [
    ...(read === undefined
      ? []
      : [
          // The row of the canvas is locked before it is compared, because a statement of PostgreSQL that has waited sees older lists.
          step("gone", sql`update canvases set title = title where id = ${canvasId} and deleted_at is null`),
          step("changed", asRead(canvasId, read)),
        ]),
    step(
      "gone",
      changeCanvas(now)`
      access = coalesce(${access ?? null}, access),
        gallery_listed = case when cast(${access ?? null} as text) = 'private' then 0 else gallery_listed end,
        gallery_templatable = case when cast(${access ?? null} as text) = 'private' then 0 else gallery_templatable end,
        org_id = coalesce(org_id, ${org ?? null}),
        password_hash = case when cast(${Number(passwordHash === undefined)} as integer) = 1 then password_hash
          else cast(${passwordHash ?? null} as text) end,
        expires_at = case when cast(${Number(expiresAt === undefined)} as integer) = 1 then expires_at
          else cast(${expiresAt ?? null} as bigint) end
      where id = ${canvasId} and deleted_at is null`,
    ),
  ];
  if (people !== undefined) {
    lists.push(optional`delete from canvas_people where canvas_id = ${canvasId}`);
    for (const { email, role } of people) {
      // Skips a person who has become the owner since the settings were checked.
      lists.push(optional`
        insert into canvas_people (canvas_id, email, role) select ${canvasId}, ${email}, cast(${role} as text)
        where not exists (select 1 from canvases join users on users.id = owner_id
          where canvases.id = ${canvasId} and users.email = ${email})`);
    }
  }
  if (teams !== undefined) {
    lists.push(optional`delete from canvas_teams where canvas_id = ${canvasId}`);
    for (const { id, role } of teams) {
      // Locks the team's row first, like `deleteTeam`, so that a team which is being deleted concurrently is skipped.
      lists.push(
        optional`update teams set name = name where id = ${id}`,
        optional`
        insert into canvas_teams (canvas_id, team_id, role)
        select ${canvasId}, id, cast(${role} as text) from teams where id = ${id}`,
      );
    }
  }
  return db.batch([...steps, ...lists, ...mails]);
}
