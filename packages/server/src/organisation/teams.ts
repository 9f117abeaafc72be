import { LIMITS } from "@easel/protocol/limits";
import type { User } from "../access/principal.ts";
import { newId } from "../crypto/ids.ts";
import { asKeys, containing, optional, type Step, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { fitting, type Paged, paged } from "../http/paging.ts";

/** A team without its members. */
export interface TeamRow {
  id: string;
  name: string;
  /** Epoch milliseconds. */
  createdAt: number;
  /** Id of the person who made it, and who alone changes it. */
  createdBy: string;
}

/** A named list of addresses that canvases are shared with. */
export interface Team extends TeamRow {
  /** By address. */
  members: string[];
}

/** A team as it is read: its members with a space between them, null when there are none. */
interface ReadTeam extends TeamRow {
  members: string | null;
}

const teamOf = ({ members, ...team }: ReadTeam): Team => ({ ...team, members: members?.split(" ") ?? [] });

/**
 * A page of the teams that someone made or is in, newest first, from before `cursor`. `q` is looked for in the name. The page
 * ends early where its teams would have too many members together.
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
  const fits = fitting(rows, LIMITS.membersPerPage.value, ({ size }) => size);
  const { entries, nextCursor } = paged(rows, Math.min(limit, fits), ({ id }) => id);
  const teams = await db.all<ReadTeam>`
    select id, name, created_at as "createdAt", created_by as "createdBy",
      (select string_agg(email, ' ' order by email) from team_members where team_id = teams.id) as members
    from teams where id in (select key from json_each(${asKeys(entries.map(({ id }) => id))}))
    order by id desc`;
  return { entries: teams.map(teamOf), nextCursor };
}

/** A team that someone made or is in, without its members; undefined otherwise. */
export function findTeamRow(id: string, user: User, { db }: Env): Promise<TeamRow | undefined> {
  return db.get<TeamRow>`
    select id, name, created_at as "createdAt", created_by as "createdBy" from teams
    where id = ${id} and (created_by = ${user.id}
      or exists (select 1 from team_members where team_id = teams.id and email = ${user.email}))`;
}

/** A team that someone made or is in; undefined otherwise. */
export async function findTeam(id: string, user: User, { db }: Env): Promise<Team | undefined> {
  const team = await db.get<ReadTeam>`
    select id, name, created_at as "createdAt", created_by as "createdBy",
      (select string_agg(email, ' ' order by email) from team_members where team_id = teams.id) as members
    from teams
    where id = ${id} and (created_by = ${user.id}
      or exists (select 1 from team_members where team_id = teams.id and email = ${user.email}))`;
  return team && teamOf(team);
}

/** The writes that give a team exactly these members; those who stay are not touched. */
function membership(id: string, members: string[]): Step[] {
  const keys = asKeys(members);
  return [
    optional`delete from team_members where team_id = ${id} and email not in (select key from json_each(${keys}))`,
    optional`
      insert into team_members (team_id, email) select cast(${id} as text), key from json_each(${keys}) where true
      on conflict do nothing`,
  ];
}

/** Makes a team; answers its id, or null when its maker has as many as one person can have. */
export async function createTeam(
  { name, members }: { name: string; members: string[] },
  by: User,
  { db, clock }: Env,
): Promise<string | null> {
  const id = newId();
  const steps: Step[] = [
    // The person first: their row is what those who make teams at once wait for, one after the other.
    sql`update users set name = name where id = ${by.id}`,
    sql`
      insert into teams (id, name, created_by, created_at)
      select cast(${id} as text), cast(${name} as text), cast(${by.id} as text), cast(${clock()} as bigint)
      where (select count(*) from teams where created_by = ${by.id}) < ${LIMITS.teamsPerPerson.value}`,
    ...membership(id, members),
  ];
  return (await db.batch(steps)).length === steps.length ? id : null;
}

/** Changes a team; what is left out stays. False when it is gone. */
export async function updateTeam(
  id: string,
  { name, members }: { name?: string | undefined; members?: string[] | undefined },
  { db }: Env,
): Promise<boolean> {
  const steps: Step[] = [
    // The team first: its row is what changes of it at once wait for, one after the other.
    sql`update teams set name = coalesce(${name ?? null}, name) where id = ${id}`,
    ...(members === undefined ? [] : membership(id, members)),
  ];
  return (await db.batch(steps)).length === steps.length;
}

/** Deletes a team; whoever had a role by it alone has none. */
export async function deleteTeam(id: string, { db }: Env): Promise<void> {
  await db.batch([
    // First its own row: who is just sharing a canvas with it waits, or is waited for.
    sql`update teams set name = name where id = ${id}`,
    optional`delete from canvas_teams where team_id = ${id}`,
    optional`delete from team_members where team_id = ${id}`,
    sql`delete from teams where id = ${id}`,
  ]);
}
