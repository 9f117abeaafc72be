import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import type { User } from "../access/principal.ts";
import { missingHome } from "../canvases/publishing/home-org.ts";
import { listTeamsOf, setSharing } from "../canvases/sharing.ts";
import { type CanvasRow, findCanvas } from "../canvases/store.ts";
import { viewFor } from "../canvases/view.ts";
import { isId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { readSettings } from "../organisation/instance-settings.ts";
import { visibleTeams } from "../organisation/teams.ts";
import { findSupervisedUser } from "../organisation/users.ts";
import { act } from "./act.ts";
import { ok } from "./answer-spec.ts";
import { canvas as canvasSchema } from "./answers/canvas.ts";
import { preparedJson } from "./body-spec.ts";
import { distinct, email, later, role } from "./fields.ts";

/** The body of the request. A field that is left out stays as it is, null clears it. */
const Sharing = z.strictObject({
  access: z
    .enum(["private", "specific_people", "whole_org", "public_link"])
    .transform((access) => (access === "specific_people" ? "private" : access))
    .optional(),
  password: z.string().min(1).max(LIMITS.passwordLength.value).nullish(),
  expiresAt: later.nullish(),
  people: z
    .array(z.strictObject({ email, role }))
    .max(LIMITS.peoplePerCanvas.value)
    .refine((people) => distinct(people.map((each) => each.email)), "someone is listed twice")
    .nullable()
    .transform((people) => people ?? [])
    .optional(),
  teams: z
    .array(z.strictObject({ id: z.string(), role }))
    .max(LIMITS.teamsPerCanvas.value)
    .refine((teams) => distinct(teams.map(({ id }) => id)), "a team is listed twice")
    .nullable()
    .transform((teams) => teams ?? [])
    .optional(),
});

/** Refuses a Public link that the instance or the owner may not have (specification 7). */
async function requirePublicLinks({ owner_id, role }: CanvasRow, env: Env): Promise<void> {
  if (!(await readSettings(env)).publicLinks) refuse("PUBLIC_LINKS_DISABLED");
  if ((await findSupervisedUser(owner_id, env))?.can_publish_public === 1) return;
  refuse(role === "owner" ? "PUBLIC_NOT_ALLOWED" : "PUBLIC_LINK_OWNER_GATED");
}

/** Refuses teams that the person neither made nor is in, unless the canvas is shared with them already. */
async function requireTeams(ids: string[], canvasId: string, user: User, env: Env): Promise<void> {
  const [shared, visible] = await Promise.all([
    listTeamsOf([canvasId], env),
    visibleTeams(ids.filter(isId), user, env),
  ]);
  const known = new Set([...(shared.get(canvasId) ?? []).map(({ id }) => id), ...visible]);
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) refuse("INVALID_BODY", { message: `There is no team ${unknown.join(", ")}.` });
}

/** Hashes the password of the body, which takes a while. */
async function hashPassword({ password, ...given }: z.output<typeof Sharing>, env: Env) {
  const passwordHash = typeof password === "string" ? await env.passwords.hash(password) : password;
  return { given, passwordHash };
}

/** Sharing settings of a canvas (management API, section 4). */
export const sharing = [
  act({
    name: "canvas.share",
    method: "PUT",
    path: "/api/canvases/{id}/sharing",
    summary: "Sets who may open a canvas: general access, password, expiry, people and teams.",
    details: "What is left out stays, null clears. See [who may enter](sharing.md).",
    allow: "editor",
    affects: "canvas",
    body: preparedJson(Sharing, hashPassword),
    answer: ok(canvasSchema),
    async run({ user, canvas, body: { given, passwordHash } }, env) {
      const { id, owner_email } = canvas;
      const { access, expiresAt, people, teams } = given;
      if (people?.some((each) => each.email === owner_email)) {
        refuse("INVALID_BODY", { message: "The owner needs no place on the list." });
      }
      if (access === "public_link") await requirePublicLinks(canvas, env);
      const org = access === "whole_org" ? await missingHome(canvas, env) : undefined;
      if (teams !== undefined) {
        await requireTeams(
          teams.map((team) => team.id),
          id,
          user,
          env,
        );
      }
      const set = await setSharing(id, { access, passwordHash, expiresAt, org, people, teams }, env);
      // Read as the owner, because an editor may have removed their own role.
      const asOwner = { id: canvas.owner_id, email: owner_email };
      const row = set ? await findCanvas(id, asOwner, env) : undefined;
      const { role } = (await findCanvas(id, user, env)) ?? canvas;
      const details = {
        ...given,
        ...(passwordHash === undefined ? {} : { password: passwordHash !== null }),
      };
      return { body: await viewFor({ ...(row ?? refuse("NOT_FOUND")), role }, env), audit: { details } };
    },
  }),
];
