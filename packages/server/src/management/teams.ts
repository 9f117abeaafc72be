import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { distinct, email, label } from "../http/field-schemas.ts";
import { refuse } from "../http/refusal.ts";
import { isAdmin } from "../identity/identify.ts";
import {
  createTeam,
  deleteTeam,
  findTeam,
  findTeamDetails,
  leaveTeam,
  listTeams,
  updateTeam,
} from "../organisation/teams.ts";
import { act, created, noContent, ok } from "./act.ts";
import { json } from "./bodies.ts";
import { search } from "./list-query.ts";
import { team, teamDetails, teamList } from "./responses/account.ts";

const name = label(LIMITS.nameLength.value);
const members = z
  .array(email)
  .max(LIMITS.peoplePerTeam.value)
  .refine(distinct, "must not contain an address twice");
const NewTeam = z.strictObject({ name, members: members.default([]) });
const Patch = z
  .strictObject({
    name: name.optional(),
    members: members.optional(),
    add: members.optional(),
    remove: members.optional(),
    externalGroup: z.string().min(1).max(500).nullable().optional(),
  })
  .refine(
    ({ members, add, remove }) => members === undefined || (add === undefined && remove === undefined),
    "must have either `members`, or `add` and `remove`",
  );

const refuseTooMany = (): never =>
  refuse("KEY_LIMIT", {
    message: `A person can create at most ${LIMITS.teamsPerPerson.value} teams; delete one first.`,
  });

const NO_GROUPS = "This service reads no groups: SERVICE_OIDC_GROUPS_CLAIM is not set.";
const NOT_IN_GROUP =
  "You were not in this group at your last sign-in. A team can follow a group that you are in, spelled as the sign-in service does; administrators can name any.";
const GROUPED = "The members of this team are those of a group at the sign-in service; change them there.";

const TOO_MANY_MEMBERS = `A team can have at most ${LIMITS.peoplePerTeam.value.toLocaleString("en")} members. Nobody was added.`;

/** The endpoints for teams, which canvases can be shared with (docs/sharing.md#sharing-a-canvas). */
export const teams = [
  act({
    name: "team.list",
    method: "GET",
    path: "/api/teams",
    summary: "Lists the teams that the caller created or is a member of, newest first.",
    details: `\`q\` filters by name. A page ends before its teams have more than ${LIMITS.membersPerPage.value.toLocaleString("en")} members together.`,
    allow: "members",
    query: search,
    response: ok(teamList),
    async run({ user, query }, env) {
      const { entries, nextCursor } = await listTeams(user, query, env);
      return { body: { teams: entries, nextCursor } };
    },
  }),
  act({
    name: "team.create",
    method: "POST",
    path: "/api/teams",
    summary: "Creates a team.",
    details: `409 \`KEY_LIMIT\` for someone who has created ${LIMITS.teamsPerPerson.value}.`,
    allow: "members",
    affects: "people",
    body: json(NewTeam),
    response: created(team),
    errors: ["KEY_LIMIT"],
    async run({ user, body }, env) {
      const id = (await createTeam(body, user, env)) ?? refuseTooMany();
      const made = (await findTeam(id, user, env)) ?? refuse("NOT_FOUND");
      return { body: made, audit: { target: id, details: body } };
    },
  }),
  act({
    name: "team.read",
    method: "GET",
    path: "/api/teams/{id}",
    summary:
      "Returns a team with its members, their names, and the number of canvases that are shared with it.",
    allow: "teamMember",
    response: ok(teamDetails),
    run: async ({ user, params: { id } }, env) => ({
      body: (await findTeamDetails(id, user, env)) ?? refuse("NOT_FOUND"),
    }),
  }),
  act({
    name: "team.update",
    method: "PATCH",
    path: "/api/teams/{id}",
    summary: "Renames a team, changes its members, or lets it follow a group of the sign-in provider.",
    details: `With \`externalGroup\` the members are the people whom the provider named in this group at their last sign-in, and nobody changes them here: 403 \`PERMISSION_DENIED\`; null ends this. It must be a group of the caller, unless they are an administrator. \`members\` replaces the list; \`add\` and \`remove\` change it, and leave alone what others change at the same time. 409 \`KEY_LIMIT\` above ${LIMITS.peoplePerTeam.value.toLocaleString("en")} members.`,
    allow: "teamCreator",
    affects: "people",
    body: json(Patch),
    response: ok(team),
    errors: ["KEY_LIMIT"],
    async run({ user, team: { id }, body }, env) {
      if (typeof body.externalGroup === "string" && env.config.oidcGroupsClaim === null)
        refuse("INVALID_BODY", { field: "externalGroup", message: NO_GROUPS });
      const outcome = await updateTeam(id, body, isAdmin(user, env) ? null : user.id, env);
      if (outcome === "gone") refuse("NOT_FOUND");
      if (outcome === "foreign") refuse("PERMISSION_DENIED", { message: NOT_IN_GROUP });
      if (outcome === "grouped") refuse("PERMISSION_DENIED", { message: GROUPED });
      if (outcome === "full") refuse("KEY_LIMIT", { message: TOO_MANY_MEMBERS });
      const changed = (await findTeam(id, user, env)) ?? refuse("NOT_FOUND");
      return { body: changed, audit: { target: id, details: body } };
    },
  }),
  act({
    name: "team.delete",
    method: "DELETE",
    path: "/api/teams/{id}",
    summary: "Deletes a team and the roles that it gave its members.",
    allow: "teamCreator",
    affects: "people",
    response: noContent,
    async run({ team: { id } }, env) {
      await deleteTeam(id, env);
      return { body: undefined, audit: { target: id } };
    },
  }),
  act({
    name: "team.leave",
    method: "DELETE",
    path: "/api/teams/{id}/membership",
    summary: "Takes the caller off the members of a team.",
    details:
      "The caller loses the roles that the team gave them. The creator of a team stays its creator. 404 `NOT_FOUND` for somebody who is no member.",
    allow: "teamMember",
    affects: "people",
    response: noContent,
    async run({ user, team: { id, externalGroup } }, env) {
      if (externalGroup !== null) refuse("PERMISSION_DENIED", { message: GROUPED });
      if (!(await leaveTeam(id, user, env)))
        refuse("NOT_FOUND", { message: "You are no member of this team." });
      return { body: undefined, audit: { target: id } };
    },
  }),
];
