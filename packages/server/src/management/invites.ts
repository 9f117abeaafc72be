import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { nameOf } from "../access/email.ts";
import { isId } from "../crypto/ids.ts";
import { email, label } from "../http/field-schemas.ts";
import { refuse } from "../http/refusal.ts";
import { createInvite, listInvites, revokeInvite } from "../identity/guests.ts";
import { act } from "./act.ts";
import { json } from "./body-spec.ts";
import { longPage } from "./list-query.ts";
import { created, noContent, ok } from "./response-spec.ts";
import { invitationList, newInvitation } from "./responses/canvas.ts";

const NewInvite = z.strictObject({ email, name: label(LIMITS.nameLength.value).optional() });

/** The endpoints for the invitations of guests to a canvas. */
export const invites = [
  act({
    name: "canvas.invites",
    method: "GET",
    path: "/api/canvases/{id}/invites",
    summary: "Lists the invitations to a canvas, newest first.",
    allow: "editor",
    query: longPage,
    response: ok(invitationList),
    async run({ canvas: { id }, query }, env) {
      const { entries, nextCursor } = await listInvites(id, query, env);
      return { body: { invites: entries, nextCursor } };
    },
  }),
  act({
    name: "canvas.invite",
    method: "POST",
    path: "/api/canvases/{id}/invites",
    summary: "Invites a guest to this canvas alone.",
    details: `\`url\` is the link to send to them, returned this once. 409 \`KEY_LIMIT\` for a canvas with ${LIMITS.invitesPerCanvas.value} invitations that are not revoked.`,
    allow: "owner",
    affects: "canvas",
    body: json(NewInvite),
    response: created(newInvitation),
    errors: ["KEY_LIMIT"],
    async run({ user, canvas, body: { email, name = nameOf(email) } }, env) {
      const invite = await createInvite(canvas.id, { email, name }, user, env);
      const { id, token } =
        invite ?? refuse("KEY_LIMIT", { message: "This canvas has as many invitations as it may have." });
      const url = `${env.base.origin}/auth/invite/${token}`;
      return { body: { id, email, url }, audit: { target: id, details: { email } } };
    },
  }),
  act({
    name: "canvas.uninvite",
    method: "DELETE",
    path: "/api/canvases/{id}/invites/{invite}",
    summary: "Revokes an invitation and ends the guest's sessions.",
    allow: "owner",
    affects: "canvas",
    response: noContent,
    async run({ canvas: { id }, params: { invite: target } }, env) {
      if (!isId(target) || !(await revokeInvite(target, id, env))) refuse("NOT_FOUND");
      return { body: undefined, audit: { target } };
    },
  }),
];
