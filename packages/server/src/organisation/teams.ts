import { LIMITS } from "@easel/protocol/limits";
import type { Team, TeamDetails, TeamPerson } from "@easel/protocol/management";
import type { User } from "../access/principal.ts";
import type { CanvasData } from "../canvases/canvas-data.ts";
import { newId } from "../crypto/ids.ts";
import {
  asKeys,
  containing,
  joined,
  type NamedStep,
  type Optional,
  optional,
  type Sql,
  type Step,
  sql,
  step,
} from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { countWithin, type Paged, paged } from "../http/query.ts";
import { isInGroup, membersOfGroup } from "../identity/groups.ts";

/** The teams and their members. */
export const teamData: CanvasData = {
  otherTables: ["teams", "team_members"],
  people: {
    teams: {
      ids: ["created_by"],
      erased: "kept",
      exported: { part: "teams", columns: ["id", "name", "created_at"], order: ["id"] },
    },
    team_members: {
      emails: ["email"],
      erased: "removed",
      exported: { part: "memberships", columns: ["team_id"], order: ["team_id"] },
    },
  },
};

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
    select id, name, created_at as "createdAt", created_by as "createdBy", external_group as "externalGroup",
      (select count(*) from team_members where team_id = teams.id) as size
    from teams
    where id in (select id from teams where created_by = ${user.id}
        union select team_id from team_members where email = ${user.email})
      and id < ${cursor} and lower(name) like ${containing(q)} escape '!'
    order by id desc limit ${limit + 1}`;
  const fits = countWithin(rows, LIMITS.membersPerPage.value, ({ size }) => size);
  const { entries, nextCursor } = paged(rows, Math.min(limit, fits), ({ id }) => id);
  const teams = await db.all<JoinedTeam>`
    select id, name, created_at as "createdAt", created_by as "createdBy", external_group as "externalGroup",
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
    select id, name, created_at as "createdAt", created_by as "createdBy", external_group as "externalGroup" from teams
    where id = ${id} and (created_by = ${user.id}
      or exists (select 1 from team_members where team_id = teams.id and email = ${user.email}))`;
}

/**
 * Finds a team by its id, among those that the user created or is a member of. Returns it with its members, or undefined if there is none.
 */
export async function findTeam(id: string, user: User, { db }: Env): Promise<Team | undefined> {
  const team = await db.get<JoinedTeam>`
    select id, name, created_at as "createdAt", created_by as "createdBy", external_group as "externalGroup",
      (select string_agg(email, ' ' order by email) from team_members where team_id = teams.id) as members
    from teams
    where id = ${id} and (created_by = ${user.id}
      or exists (select 1 from team_members where team_id = teams.id and email = ${user.email}))`;
  return team && teamOf(team);
}

/**
 * Finds a team as `findTeam` does. Returns it with the names of its members and of its creator, and with the number of canvases that are
 * shared with it.
 */
export async function findTeamDetails(id: string, user: User, env: Env): Promise<TeamDetails | undefined> {
  const { db } = env;
  const team = await findTeam(id, user, env);
  if (team === undefined) return undefined;
  const [creator, people, shared] = await Promise.all([
    db.get<TeamPerson>`select email, name from users where id = ${team.createdBy}`,
    db.all<TeamPerson>`
      select team_members.email, users.name from team_members left join users on users.email = team_members.email
      where team_id = ${id} order by team_members.email`,
    db.get<{ count: number }>`
      select count(*) as count from canvas_teams join canvases on canvases.id = canvas_id
      where team_id = ${id} and deleted_at is null`,
  ]);
  return {
    ...team,
    members: people.map(({ email }) => email),
    creator: creator ?? { email: "", name: null },
    people,
    canvases: Number(shared?.count ?? 0),
  };
}

/** Returns the steps of a batch that replace the members of a team. The rows of members who stay are not changed. */
function memberSteps(id: string, members: string[]): Optional[] {
  const keys = asKeys(members);
  return [
    optional`delete from team_members where team_id = ${id} and email not in (select key from json_each(${keys}))`,
    addStep(id, members),
  ];
}

/** Returns the step of a batch that adds members to a team. */
const addStep = (id: string, members: string[]): Optional => optional`
  insert into team_members (team_id, email)
  select cast(${id} as text), key from json_each(${asKeys(members)}) where true
  on conflict do nothing`;

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

/**
 * Changes of a team. What is undefined stays. `add` and `remove` change the list of members; `members` replaces it. With an `externalGroup` the
 * members are those of the group; null ends this, and the members stay.
 */
export interface TeamChanges {
  name?: string | undefined;
  externalGroup?: string | null | undefined;
  members?: string[] | undefined;
  add?: string[] | undefined;
  remove?: string[] | undefined;
}

/**
 * Changes a team. Returns "gone" if it has been deleted, "full" if it would have more members than a team may have, "grouped" if its members are
 * those of a group, and "foreign" if `by` is not null and the person with this id was not in the group at their last sign-in.
 */
export function updateTeam(
  id: string,
  { name, externalGroup, members, add, remove }: TeamChanges,
  by: string | null,
  { db }: Env,
): Promise<"done" | "gone" | "full" | "grouped" | "foreign"> {
  const changesMembers = members !== undefined || add !== undefined || remove !== undefined;
  return db.batch([
    // The row of the team is written first, so that concurrent changes wait for the lock on it.
    step("gone", sql`update teams set name = coalesce(${name ?? null}, name) where id = ${id}`),
    ...(externalGroup === undefined ? [] : groupSteps(id, externalGroup, by)),
    ...(changesMembers ? [step("grouped", withoutGroup(id))] : []),
    ...listSteps(id, { members, add, remove }),
  ]);
}

/** Returns the steps of a batch that change the members of a team. The outcome is "full" if it would have more than a team may have. */
const listSteps = (
  id: string,
  { members, add, remove }: Pick<TeamChanges, "members" | "add" | "remove">,
): NamedStep<"full" | null>[] => [
  ...(members === undefined ? [] : memberSteps(id, members)),
  ...(remove === undefined
    ? []
    : [
        optional`delete from team_members where team_id = ${id} and email in (select key from json_each(${asKeys(remove)}))`,
      ]),
  ...(add === undefined ? [] : [addStep(id, add), step("full", withinMembers(id))]),
];

/** Changes a team that follows a group as the provider wishes, which alone changes its members. Returns the same as `updateTeam`. */
export function updateGroup(
  id: string,
  { name, externalGroup, ...list }: TeamChanges,
  { db }: Env,
): Promise<"done" | "gone" | "full"> {
  return db.withReserve.batch([
    step(
      "gone",
      sql`update teams set name = coalesce(${name ?? null}, name), external_group = coalesce(${externalGroup ?? null}, external_group)
        where id = ${id} and external_group is not null`,
    ),
    ...listSteps(id, list),
  ]);
}

/** Returns the step of a batch that changes no row if the members of a team are those of a group. */
const withoutGroup = (id: string): Sql => sql`
  update teams set name = name where id = ${id} and external_group is null`;

/** Returns the steps of a batch that make a team follow a group, or no longer follow one. */
const groupSteps = (id: string, group: string | null, by: string | null): NamedStep<"foreign" | null>[] => {
  if (group === null) return [optional`update teams set external_group = null where id = ${id}`];
  const may = by === null ? sql`1 = 1` : isInGroup(by, group);
  const follow = sql`update teams set external_group = ${group} where id = ${id} and`;
  return [step("foreign", joined([follow, may])), ...membersOfGroup(id, group)];
};

/** Returns the step of a batch that changes no row if a team has more members than a team may have. */
const withinMembers = (id: string): Sql => sql`
  update teams set name = name where id = ${id}
    and (select count(*) from team_members where team_id = ${id}) <= ${LIMITS.peoplePerTeam.value}`;

/** Takes a user off the members of a team, unless these are those of a group. Returns false if the user was none. */
export async function leaveTeam(id: string, { email }: User, { db }: Env): Promise<boolean> {
  const outcome = await db.withReserve.batch([
    withoutGroup(id),
    sql`delete from team_members where team_id = ${id} and email = ${email}`,
  ]);
  return outcome === "done";
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
