import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import { z } from "zod";
import { newId } from "../crypto/ids.ts";
import { asKeys, joined, type Sql, sql, step } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { cleanName } from "../identity/users.ts";
import { deleteTeam, updateGroup } from "../organisation/teams.ts";
import { addUser } from "../organisation/user-details.ts";
import { conditionsOf, parseFilter } from "./filter.ts";
import { type Change, changesOf } from "./patch.ts";
import { refuseScim } from "./scim-error.ts";
import type { Resource, ResourceType } from "./scim-resource.ts";
import type { Selection } from "./selection.ts";

const members = z.array(z.object({ value: z.string() })).max(LIMITS.peoplePerTeam.value);

const Group = z.object({
  displayName: z.string(),
  externalId: z.string().min(1).max(500).nullish(),
  members: members.nullish(),
});

/** A team that follows a group of the provider, with its number of members. */
interface GroupRow {
  id: string;
  name: string;
  external_group: string;
  created_at: number;
}

/** Matches the groups with a member. */
const withMember = (value: string): Sql =>
  sql`id in (select team_id from team_members join users on users.email = team_members.email where users.id = ${value})`;

/** The conditions by which groups are looked up, by the attribute of the filter. */
const FILTERS: Record<string, (value: string) => Sql> = {
  id: (value) => sql`id = ${value}`,
  displayname: (value) => sql`name = ${value}`,
  externalid: (value) => sql`external_group = ${value}`,
  members: withMember,
  "members.value": withMember,
};

const WHOLE: Selection = { has: () => true };

async function viewOf(
  { id, name, external_group, created_at }: GroupRow,
  selection: Selection,
  { db, base }: Env,
): Promise<Resource> {
  const people = !selection.has("members")
    ? []
    : await db.all<{ id: string; name: string }>`
    select users.id, users.name from team_members join users on users.email = team_members.email
    where team_id = ${id} and erased_at is null order by users.id`;
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
    id,
    externalId: external_group,
    displayName: name,
    members: people.map((each) => ({
      value: each.id,
      display: each.name,
      $ref: `${base.origin}/scim/v2/Users/${each.id}`,
    })),
    meta: {
      resourceType: "Group",
      created: new Date(created_at).toISOString(),
      location: `${base.origin}/scim/v2/Groups/${id}`,
    },
  };
}

async function requireGroup(id: string, { db }: Env): Promise<GroupRow> {
  const row = await db.get<GroupRow>`
    select id, name, external_group, created_at from teams where id = ${id} and external_group is not null`;
  return row ?? refuseScim(404, "There is no such group.");
}

/** Returns the addresses of people by their ids. Throws 400 `invalidValue` for an id of nobody. */
async function addressesOf(ids: string[], { db }: Env): Promise<string[]> {
  const wanted = [...new Set(ids)];
  const rows = await db.all<{ email: string }>`
    select email from users where erased_at is null and id in (select key from json_each(${asKeys(wanted)}))`;
  if (rows.length < wanted.length)
    refuseScim(400, "members has a value that is the id of no user.", "invalidValue");
  return rows.map(({ email }) => email);
}

/** Returns the id of the person to whom new teams belong: an administrator, who is added if none has signed in. */
async function creatorId(env: Env): Promise<string> {
  const [first] = env.config.adminEmails;
  if (first === undefined)
    return refuseScim(409, "SERVICE_ADMIN_EMAILS names nobody to whom teams can belong.");
  const find = () =>
    env.db.get<{ id: string }>`
      select id from users where email in (select key from json_each(${asKeys(env.config.adminEmails)}))
        and deactivated_at is null order by id limit 1`;
  await ((await find()) ?? addUser({ email: first, name: first, deactivated: false }, env));
  return (
    (await find())?.id ?? refuseScim(409, "All administrators are deactivated, so nobody can own a team.")
  );
}

const nameOf = (text: string): string =>
  cleanName(text.slice(0, LIMITS.nameLength.value)) ??
  refuseScim(400, "displayName must not be empty.", "invalidValue");

/** What changes of a group. Undefined stays. */
interface GroupChanges {
  name?: string | undefined;
  externalId?: string | undefined;
  members?: string[] | undefined;
  add?: string[];
  remove?: string[];
}

/** Returns the ids in a value of `members`: a list of objects, or one object. */
const idsIn = (value: Json | undefined): string[] =>
  members.parse(value === undefined ? [] : Array.isArray(value) ? value : [value]).map((each) => each.value);

/** Returns the id in a path such as `members[value eq "…"]`, as providers send it to remove one member. */
const idInPath = (path: string): string[] => {
  const [, id] = /\[\s*value\s+eq\s+"([^"]*)"\s*\]/i.exec(path) ?? [];
  return id === undefined ? [] : [id];
};

const refuseTooMany = (): never =>
  refuseScim(400, `A group has at most ${LIMITS.peoplePerTeam.value} members here.`, "tooMany");

function changesFrom(changes: Change[]): GroupChanges {
  const result: Required<Pick<GroupChanges, "add" | "remove">> & GroupChanges = { add: [], remove: [] };
  for (const { op, attribute, path, value } of changes) {
    if (attribute === "displayname" && typeof value === "string") result.name = nameOf(value);
    if (attribute === "externalid" && typeof value === "string" && value !== "")
      result.externalId = value.slice(0, 500);
    if (!attribute.startsWith("members")) continue;
    const ids = [...idInPath(path), ...idsIn(value)];
    if (op === "replace") result.members = ids;
    else if (op === "add") result.add.push(...ids);
    else if (ids.length === 0) result.members = [];
    else result.remove.push(...ids);
    // A group has no more members to take off, and none for more to be added.
    if (Math.max(result.add.length, result.remove.length) > LIMITS.peoplePerTeam.value) refuseTooMany();
  }
  return result;
}

/** Applies changes by the functions of teams. Throws 400 `tooMany` for more members than a team may have. */
async function apply(
  id: string,
  { name, externalId, add = [], remove = [], ...rest }: GroupChanges,
  env: Env,
) {
  // Members who are gone by now need not be removed.
  const leaving = await env.db.all<{ email: string }>`
    select email from users where id in (select key from json_each(${asKeys(remove)}))`;
  const outcome = await updateGroup(
    id,
    {
      name,
      externalGroup: externalId,
      members: rest.members && (await addressesOf(rest.members, env)),
      remove: leaving.map(({ email }) => email),
      add: await addressesOf(add, env),
    },
    env,
  );
  if (outcome === "gone") refuseScim(404, "There is no such group.");
  if (outcome === "full") refuseTooMany();
}

async function change(id: string, changes: GroupChanges, env: Env) {
  const { name } = await requireGroup(id, env);
  await apply(id, changes, env);
  const resource = await viewOf(await requireGroup(id, env), WHOLE, env);
  return { resource, audit: { act: "team.update", target: id, details: { name, ...changes } } };
}

/** Groups, which are the teams that follow a group of the provider (RFC 7643, section 4.2). Other teams are not seen. */
export const groups: ResourceType = {
  name: "Group",
  path: "/Groups",
  async list(filter, { startIndex, count }, selection, env) {
    const asked = filter === undefined ? [] : parseFilter(filter, Object.keys(FILTERS));
    const conditions = conditionsOf(asked, FILTERS);
    const where = [
      sql`from teams where external_group is not null`,
      ...conditions.flatMap((condition) => [sql`and`, condition]),
    ];
    const [[all], rows] = await Promise.all([
      env.db.all<{ total: number }>(...joined([sql`select count(*) as total`, ...where])),
      env.db.all<GroupRow>(
        ...joined([
          sql`select id, name, external_group, created_at`,
          ...where,
          sql`order by id limit ${count} offset ${startIndex - 1}`,
        ]),
      ),
    ]);
    return {
      total: Number(all?.total),
      resources: await Promise.all(rows.map((row) => viewOf(row, selection, env))),
    };
  },
  read: async (id, selection, env) => viewOf(await requireGroup(id, env), selection, env),
  async create(body, env) {
    const given = Group.parse(body);
    const name = nameOf(given.displayName);
    const external = given.externalId ?? name;
    const emails = await addressesOf(
      (given.members ?? []).map(({ value }) => value),
      env,
    );
    const [id, creator] = [newId(), await creatorId(env)];
    const outcome = await env.db.withReserve.batch([
      // The row of the creator is locked, so that two requests for one group make one team.
      sql`update users set name = name where id = ${creator}`,
      step(
        "known",
        sql`insert into teams (id, name, created_by, created_at, external_group)
          select cast(${id} as text), cast(${name} as text), cast(${creator} as text), cast(${env.clock()} as bigint),
            cast(${external} as text)
          where not exists (select 1 from teams where external_group = ${external})`,
      ),
    ]);
    if (outcome === "known")
      refuseScim(409, "There is a group with this externalId or displayName already.", "uniqueness");
    await updateGroup(id, { add: emails }, env);
    const resource = await viewOf(await requireGroup(id, env), WHOLE, env);
    return {
      resource,
      audit: { act: "team.create", target: id, details: { name, externalGroup: external } },
    };
  },
  replace(id, body, env) {
    const { displayName, externalId, members: listed } = Group.parse(body);
    const ids = (listed ?? []).map(({ value }) => value);
    return change(id, { name: nameOf(displayName), externalId: externalId ?? undefined, members: ids }, env);
  },
  patch: (id, body, env) => change(id, changesFrom(changesOf(body)), env),
  async remove(id, env) {
    const { name } = await requireGroup(id, env);
    await deleteTeam(id, env);
    return { act: "team.delete", target: id, details: { name } };
  },
};
