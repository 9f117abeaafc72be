import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { isId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import {
  createTeam,
  deleteTeam,
  findTeam,
  findTeamRow,
  listTeams,
  type TeamRow,
  updateTeam,
} from "../organisation/teams.ts";
import { act, actWithJson, anyone } from "./act.ts";
import { distinct, email, label } from "./fields.ts";
import { listing } from "./list-query.ts";
import { type Call, created, done, ok, type Routes } from "./route.ts";

const name = label(LIMITS.nameLength.value);
const members = z.array(email).max(LIMITS.peoplePerTeam.value).refine(distinct, "someone is listed twice");
const NewTeam = z.strictObject({ name, members: members.default([]) });
const Patch = z.strictObject({ name: name.optional(), members: members.optional() });

/** The team that a path names, for who made it: 404 for who is not in it, 403 for its members. */
async function ownTeam({ params: { id = "" }, user }: Call, env: Env): Promise<TeamRow> {
  const team = (isId(id) ? await findTeamRow(id, user, env) : undefined) ?? refuse("NOT_FOUND");
  return team.createdBy === user.id
    ? team
    : refuse("PERMISSION_DENIED", { message: "Only who made a team may change it." });
}

const tooMany = (): never =>
  refuse("KEY_LIMIT", {
    message: `Nobody has more than ${LIMITS.teamsPerPerson.value} teams: delete one first.`,
  });

/** Teams, which canvases are shared with (management API, section 4). */
export const teams: Routes = {
  "/teams": {
    async GET({ user, query }, env) {
      const { entries, nextCursor } = await listTeams(user, listing(query), env);
      return ok({ teams: entries, nextCursor });
    },
    POST: actWithJson("team.create", NewTeam, {
      may: anyone,
      async run({ user }, _all, given, env) {
        const id = (await createTeam(given, user, env)) ?? tooMany();
        return created(await findTeam(id, user, env), { target: id, details: given });
      },
    }),
  },
  "/teams/:id": {
    async GET({ params: { id = "" }, user }, env) {
      return ok((isId(id) ? await findTeam(id, user, env) : undefined) ?? refuse("NOT_FOUND"));
    },
    PATCH: actWithJson("team.update", Patch, {
      may: ownTeam,
      async run({ user }, { id }, given, env) {
        if (!(await updateTeam(id, given, env))) refuse("NOT_FOUND");
        const team = (await findTeam(id, user, env)) ?? refuse("NOT_FOUND");
        return ok(team, { target: id, details: given });
      },
    }),
    DELETE: act("team.delete", {
      may: ownTeam,
      async run(_call, { id }, env) {
        await deleteTeam(id, env);
        return done({ target: id });
      },
    }),
  },
};
