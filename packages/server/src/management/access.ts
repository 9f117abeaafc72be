import type { AccessExplanation, AccessGrant } from "@easel/protocol/management";
import { z } from "zod";
import { ROUTES, roleOf } from "../access/roles.ts";
import { findForAdmin } from "../canvases/administration.ts";
import { isId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { email } from "../http/field-schemas.ts";
import { refuse } from "../http/refusal.ts";
import { explain } from "../pipeline/explain.ts";
import { lookUp } from "../pipeline/resolve.ts";
import { effectiveRights, NO_RIGHTS } from "../primitives/identity/effective-rights.ts";
import { ANONYMOUS, type Asker, guestOfInvite, memberAt, type Subject } from "./access-subject.ts";
import { act, ok } from "./act.ts";
import { accessExplanation } from "./responses/access.ts";

/** The query, which names the person by exactly one of its parameters. */
const whom = z
  .object({
    email: email
      .meta({ description: "The e-mail address of a person, who need not have signed in yet." })
      .optional(),
    as: z.enum(["anonymous"]).meta({ description: "`anonymous`: somebody who is not signed in." }).optional(),
    invite: z
      .string()
      .refine(isId, "is not the id of an invitation")
      .meta({ description: "The id of an invitation: its guest." })
      .optional(),
  })
  .refine(
    ({ email, as, invite }) => [email, as, invite].filter((each) => each !== undefined).length === 1,
    "must have exactly one of `email`, `as` and `invite`",
  );

type Whom = z.output<typeof whom>;

/** A canvas that the asker may ask about. */
interface Asked {
  id: string;
  slug: string;
  ownerId: string;
}

function subjectOf(
  { email, invite }: Whom,
  canvas: Asked,
  asker: Asker,
  env: Env,
): Promise<Subject> | Subject {
  if (email !== undefined) return memberAt(email, canvas, asker, env);
  return invite === undefined ? ANONYMOUS : guestOfInvite(invite, canvas.id, asker, env);
}

/** Explains what a person may do on a canvas, by the functions that decide about their requests. */
async function explainAccess(query: Whom, asked: Asked, asker: Asker, env: Env): Promise<AccessExplanation> {
  const { subject, principal, cannotSignIn, listings } = await subjectOf(query, asked, asker, env);
  const canvas = await lookUp(asked.slug, principal, env);
  if (canvas === null || canvas.id !== asked.id) return refuse("NOT_FOUND");
  const role = roleOf(principal, canvas);
  const grants = ROUTES.flatMap(({ via, roleOf }): AccessGrant[] => {
    const granted = roleOf(principal, canvas);
    if (granted === null) return [];
    if (via !== "listed") return [{ via, role: granted }];
    return listings.map(({ role, team }) =>
      team === null
        ? { via: "person", role }
        : { via: "team", role, ...(team.name !== undefined && { team: team.name }) },
    );
  });
  const isUnknown = subject.kind === "unknown";
  const now = env.clock();
  const facts = { canvas, principal, role, grants, cannotSignIn, isUnknown, now };
  const { apiAfterPassword, ...explanation } = explain(facts, env);
  const rights =
    role !== null && apiAfterPassword
      ? await effectiveRights({ user: principal, role, canvas }, env)
      : NO_RIGHTS;
  return { subject, role, ...explanation, grants, ...rights };
}

/** The endpoints that explain who may open a canvas (docs/sharing.md#why-somebody-gets-in-or-not). */
export const access = [
  act({
    name: "canvas.explain",
    method: "GET",
    path: "/api/canvases/{id}/access",
    summary: "Explains whether a person may open a canvas, why, and what they may do there.",
    details:
      "The query names the person by exactly one of `email`, `as=anonymous` and `invite`. The answer is that for somebody who has not entered the password of the canvas. See [why somebody gets in, or not](../sharing.md#why-somebody-gets-in-or-not).",
    allow: "editor",
    deploys: false,
    query: whom,
    response: ok(accessExplanation),
    async run({ user, canvas: { id, slug, owner_id: ownerId }, query }, env) {
      return {
        body: await explainAccess(query, { id, slug, ownerId }, { user, isAdministrator: false }, env),
      };
    },
  }),
  act({
    name: "canvas.explain-any",
    method: "GET",
    path: "/api/admin/canvases/{id}/access",
    summary: "Explains whether a person may open any canvas, why, and what they may do there.",
    details:
      "As `canvas.explain`. Deleted canvases that can be restored are included, and invitations to other canvases.",
    allow: "administrator",
    query: whom,
    response: ok(accessExplanation),
    async run({ user, params: { id }, query }, env) {
      const row = (isId(id) ? await findForAdmin(id, env) : undefined) ?? refuse("NOT_FOUND");
      const asked = { id, slug: row.slug, ownerId: row.owner_id };
      return { body: await explainAccess(query, asked, { user, isAdministrator: true }, env) };
    },
  }),
];
