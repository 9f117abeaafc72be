import { LIMITS } from "@easel/protocol/limits";
import { announceAccess } from "../canvases/open-connections.ts";
import { tokenHash } from "../crypto/ids.ts";
import { asKeys, type Optional, optional, type Sql, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import type { UserRow } from "./users.ts";

/** The most members of a team that follows a group: as many as fit on one page of the list of teams. */
const MAX_MEMBERS = LIMITS.membersPerPage.value;

const keyOf = (groups: string[]): string => tokenHash(JSON.stringify(groups));

/** Whether any of the groups is one of administrators: 1 or 0. */
const isOfAdmins = (groups: string[], { config }: Env): number =>
  Number(config.oidcAdminGroups.some((each) => groups.includes(each)));

/** Whether the groups of a person differ from the stored ones, or mean something else by the settings of now. */
export const hasOtherGroups = (
  row: Pick<UserRow, "admin_group" | "groups_key">,
  groups: string[],
  env: Env,
): boolean => row.groups_key !== keyOf(groups) || row.admin_group !== isOfAdmins(groups, env);

/**
 * Stores the groups of a person as the provider names them now, adds the person to the teams that follow one of them, and takes them off the
 * teams that follow another one.
 */
export async function followGroups(
  { id, email }: Pick<UserRow, "id" | "email">,
  groups: string[],
  env: Env,
): Promise<void> {
  const key = keyOf(groups);
  const admin = isOfAdmins(groups, env);
  const names = asKeys(groups);
  await env.db.withReserve.batch([
    // The row of the person is written first, so that sign-ins at the same time wait for the lock on it.
    optional`update users set groups_key = ${key}, admin_group = ${admin} where id = ${id}`,
    optional`delete from person_groups where user_id = ${id} and name not in (select key from json_each(${names}))`,
    optional`insert into person_groups (user_id, name)
      select cast(${id} as text), key from json_each(${names}) where true on conflict do nothing`,
    optional`delete from team_members where email = ${email} and team_id in (
      select id from teams where external_group is not null
        and external_group not in (select key from json_each(${names})))`,
    optional`insert into team_members (team_id, email)
      select id, cast(${email} as text) from teams
      where external_group in (select key from json_each(${names}))
        and (select count(*) from team_members where team_id = teams.id) < ${MAX_MEMBERS}
      on conflict do nothing`,
  ]);
  await announceAccess({ people: [id] }, env);
}

/** Builds the steps of a batch that replace the members of a team by the people who were in a group at their last sign-in. */
export const membersOfGroup = (teamId: string, group: string): Optional[] => [
  optional`delete from team_members where team_id = ${teamId} and email not in (
    select users.email from users join person_groups on user_id = users.id where person_groups.name = ${group})`,
  optional`insert into team_members (team_id, email)
    select cast(${teamId} as text), users.email from users join person_groups on user_id = users.id
    where person_groups.name = ${group} order by users.email limit ${MAX_MEMBERS}
    on conflict do nothing`,
];

/** Builds the condition that the person with an id was in a group at their last sign-in. */
export const isInGroup = (userId: string, group: string): Sql =>
  sql`exists (select 1 from person_groups where user_id = ${userId} and name = ${group})`;
