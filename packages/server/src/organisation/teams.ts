import type { Person } from "../auth/people.ts";
import { maybe, type Step, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { newId } from "../kit/ids.ts";

/** A named list of addresses that canvases are shared with. */
export interface Team {
  id: string;
  name: string;
  /** By address. */
  members: string[];
  /** Epoch milliseconds. */
  createdAt: number;
  /** Id of the person who made it, and who alone changes it. */
  createdBy: string;
}

type TeamRow = Omit<Team, "members">;

/** The teams that someone made or is in, newest first. */
export async function listTeams(person: Person, { db }: Env): Promise<Team[]> {
  const teams = await db.all<TeamRow>`
    select id, name, created_at as "createdAt", created_by as "createdBy" from teams
    where id in (select id from teams where created_by = ${person.id}
      union select team_id from team_members where email = ${person.email})
    order by id desc`;
  const members = await db.all<{ team_id: string; email: string }>`
    select team_id, email from team_members
    where team_id in (select id from teams where created_by = ${person.id}
      union select team_id from team_members where email = ${person.email})
    order by email`;
  const membersOf = Map.groupBy(members, ({ team_id }) => team_id);
  return teams.map((team) => ({
    ...team,
    members: (membersOf.get(team.id) ?? []).map((each) => each.email),
  }));
}

/** A team that someone made or is in; undefined otherwise. */
export async function findTeam(id: string, person: Person, env: Env): Promise<Team | undefined> {
  return (await listTeams(person, env)).find((team) => team.id === id);
}

const membership = (id: string, members: string[]): Step[] =>
  members.map((email) => sql`insert into team_members (team_id, email) values (${id}, ${email})`);

/** Makes a team; answers its id. */
export async function createTeam(
  { name, members }: { name: string; members: string[] },
  by: Person,
  { db, clock }: Env,
): Promise<string> {
  const id = newId();
  await db.batch([
    sql`insert into teams (id, name, created_by, created_at) values (${id}, ${name}, ${by.id}, ${clock()})`,
    ...membership(id, members),
  ]);
  return id;
}

/** Changes a team; what is left out stays. False when it is gone. */
export async function updateTeam(
  id: string,
  { name, members }: { name?: string | undefined; members?: string[] | undefined },
  { db }: Env,
): Promise<boolean> {
  const steps: Step[] = [sql`update teams set name = coalesce(${name ?? null}, name) where id = ${id}`];
  if (members !== undefined) {
    steps.push(maybe`delete from team_members where team_id = ${id}`, ...membership(id, members));
  }
  return (await db.batch(steps)).length === steps.length;
}

/** Deletes a team; whoever had a role by it alone has none. */
export async function deleteTeam(id: string, { db }: Env): Promise<void> {
  await db.batch([
    // First its own row: who is just sharing a canvas with it waits, or is waited for.
    sql`update teams set name = name where id = ${id}`,
    maybe`delete from canvas_teams where team_id = ${id}`,
    maybe`delete from team_members where team_id = ${id}`,
    sql`delete from teams where id = ${id}`,
  ]);
}
