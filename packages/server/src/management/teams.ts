import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { distinct, email, label } from "../http/field-schemas.ts";
import { refuse } from "../http/refusal.ts";
import { createTeam, deleteTeam, findTeam, listTeams, updateTeam } from "../organisation/teams.ts";
import { act, created, noContent, ok } from "./act.ts";
import { json } from "./bodies.ts";
import { search } from "./list-query.ts";
import { team, teamList } from "./responses/account.ts";

const name = label(LIMITS.nameLength.value);
const members = z
  .array(email)
  .max(LIMITS.peoplePerTeam.value)
  .refine(distinct, "must not contain an address twice");
const NewTeam = z.strictObject({ name, members: members.default([]) });
const Patch = z.strictObject({ name: name.optional(), members: members.optional() });

const refuseTooMany = (): never =>
  refuse("KEY_LIMIT", {
    message: `A person can create at most ${LIMITS.teamsPerPerson.value} teams; delete one first.`,
  });

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
    summary: "Returns a team with its members.",
    allow: "teamMember",
    response: ok(team),
    run: async ({ user, params: { id } }, env) => ({
      body: (await findTeam(id, user, env)) ?? refuse("NOT_FOUND"),
    }),
  }),
  act({
    name: "team.update",
    method: "PATCH",
    path: "/api/teams/{id}",
    summary: "Renames a team or replaces its list of members.",
    allow: "teamCreator",
    affects: "people",
    body: json(Patch),
    response: ok(team),
    async run({ user, team: { id }, body }, env) {
      if (!(await updateTeam(id, body, env))) refuse("NOT_FOUND");
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
];
