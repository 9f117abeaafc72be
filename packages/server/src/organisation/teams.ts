import { LIMITS } from "@easel/protocol/limits";
import type { Team } from "@easel/protocol/management";
import type { User } from "../access/principal.ts";
import type { CanvasData } from "../canvases/canvas-data.ts";
import { newId } from "../crypto/ids.ts";
import { asKeys, containing, optional, type Step, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { countWithin, type Paged, paged } from "../http/query.ts";

/** The teams and their members. */
export const teamData: CanvasData = { otherTables: ["teams", "team_members"] };

/** A team without its members. */
export type TeamRow = Omit<Team, "members">;

/** A team with the e-mail addresses of its members in one text, separated by spaces. `members` is null if there are none. */
interface JoinedTeam extends TeamRow {
  members: string | null;
}

const teamOf = ({ members, ...team }: JoinedTeam): Team => ({ ...team, members: members?.split(" ") ?? [] });

/**
 * Lists teams that a user created or is a member of, newest first. Returns only teams whose names contain `q` and whose ids are below
 * `cursor`, the id of the last team of the previous page. Returns at most `limit` teams, and fewer if they would have too many members for
 * one page.
 */
export async function listTeams(
  user: User,
  { q, cursor, limit }: { q: string; cursor: string; limit: number },
  { db }: Env,
): Promise<Paged<Team>> {
  const rows = await db.all<TeamRow & { size: number }>`
    select id, name, created_at as "createdAt", created_by as "createdBy",
      (select count(*) from team_members where team_id = teams.id) as size
    from teams
    where id in (select id from teams where created_by = ${user.id}
        union select team_id from team_members where email = ${user.email})
      and id < ${cursor} and lower(name) like ${containing(q)} escape '!'
    order by id desc limit ${limit + 1}`;
  const fits = countWithin(rows, LIMITS.membersPerPage.value, ({ size }) => size);
  const { entries, nextCursor } = paged(rows, Math.min(limit, fits), ({ id }) => id);
  const teams = await db.all<JoinedTeam>`
    select id, name, created_at as "createdAt", created_by as "createdBy",
      (select string_agg(email, ' ' order by email) from team_members where team_id = teams.id) as members
    from teams where id in (select key from json_each(${asKeys(entries.map(({ id }) => id))}))
    order by id desc`;
  return { entries: teams.map(teamOf), nextCursor };
}

/**
 * Finds a team by its id, among those that the user created or is a member of. Returns it without its members, or undefined if there is
 * none.
 */
export function findTeamRow(id: string, user: User, { db }: Env): Promise<TeamRow | undefined> {
  return db.get<TeamRow>`
    select id, name, created_at as "createdAt", created_by as "createdBy" from teams
    where id = ${id} and (created_by = ${user.id}
      or exists (select 1 from team_members where team_id = teams.id and email = ${user.email}))`;
}

/**
 * Finds a team by its id, among those that the user created or is a member of. Returns it with its members, or undefined if there is none.
 */
export async function findTeam(id: string, user: User, { db }: Env): Promise<Team | undefined> {
  const team = await db.get<JoinedTeam>`
    select id, name, created_at as "createdAt", created_by as "createdBy",
      (select string_agg(email, ' ' order by email) from team_members where team_id = teams.id) as members
    from teams
    where id = ${id} and (created_by = ${user.id}
      or exists (select 1 from team_members where team_id = teams.id and email = ${user.email}))`;
  return team && teamOf(team);
}

/** Returns the steps of a batch that replace the members of a team. The rows of members who stay are not changed. */
function memberSteps(id: string, members: string[]): Step[] {
  const keys = asKeys(members);
  return [
    optional`delete from team_members where team_id = ${id} and email not in (select key from json_each(${keys}))`,
    optional`
      insert into team_members (team_id, email) select cast(${id} as text), key from json_each(${keys}) where true
      on conflict do nothing`,
  ];
}

/** Creates a team and returns its id. Returns null if the user has already created as many teams as one person may. */
export async function createTeam(
  { name, members }: { name: string; members: string[] },
  by: User,
  { db, clock }: Env,
): Promise<string | null> {
  const id = newId();
  const steps: Step[] = [
    // The row of the user is written first. Concurrent requests of the same user wait for the lock on it, so the count below is exact.
    sql`update users set name = name where id = ${by.id}`,
    sql`
      insert into teams (id, name, created_by, created_at)
      select cast(${id} as text), cast(${name} as text), cast(${by.id} as text), cast(${clock()} as bigint)
      where (select count(*) from teams where created_by = ${by.id}) < ${LIMITS.teamsPerPerson.value}`,
    ...memberSteps(id, members),
  ];
  return (await db.batch(steps)) === "done" ? id : null;
}

/** Changes the name or the members of a team; undefined leaves them unchanged. Returns false if the team has been deleted. */
export async function updateTeam(
  id: string,
  { name, members }: { name?: string | undefined; members?: string[] | undefined },
  { db }: Env,
): Promise<boolean> {
  const steps: Step[] = [
    // The row of the team is written first, so that concurrent changes wait for the lock on it.
    sql`update teams set name = coalesce(${name ?? null}, name) where id = ${id}`,
    ...(members === undefined ? [] : memberSteps(id, members)),
  ];
  return (await db.batch(steps)) === "done";
}

/** Deletes a team. Its members lose the roles on canvases that the team gave them. */
export async function deleteTeam(id: string, { db }: Env): Promise<void> {
  await db.withReserve.batch([
    // The row of the team is written first, because a concurrent request that shares a canvas with the team waits for the lock on it.
    sql`update teams set name = name where id = ${id}`,
    optional`delete from canvas_teams where team_id = ${id}`,
    optional`delete from team_members where team_id = ${id}`,
    sql`delete from teams where id = ${id}`,
  ]);
}
