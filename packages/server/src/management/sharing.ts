import { LIMITS } from "@easel/protocol/limits";
import type { Canvas } from "@easel/protocol/types";
import { z } from "zod";
import { nameOf, type User } from "../access/principal.ts";
import { transferCanvas } from "../canvases/ownership.ts";
import { access, newPassword, role } from "../canvases/publishing/canvas-schemas.ts";
import { passwordHashOf, saveSharing } from "../canvases/publishing/sharing-settings.ts";
import { type CanvasRow, findCanvas } from "../canvases/store.ts";
import { currentView, viewFor } from "../canvases/view.ts";
import { isId, newId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { distinct, email, label, later, moment } from "../http/field-schemas.ts";
import { refuse } from "../http/refusal.ts";
import {
  createInvite,
  findInviteRow,
  latestLinkEnd,
  listInvites,
  renewInvite,
  revokeInvite,
} from "../identity/guests.ts";
import { isMailed, mailSteps } from "../mail/mail-queue.ts";
import { invitationMail, ownershipMail } from "../mail/mails.ts";
import { act, created, noContent, ok } from "./act.ts";
import { json, optionalJson, preparedJson } from "./bodies.ts";
import { longPage } from "./list-query.ts";
import { canvas, invitationList, newInvitation } from "./responses/canvas.ts";

/** The name in an entry of a list. It is ignored, so that the lists of a canvas can be sent as they were read. */
const ignored = z.string().nullish();

/** The schema of the request body. A field that is left out keeps its value; null clears it. */
const Sharing = z.strictObject({
  access: access.optional(),
  password: newPassword.nullish(),
  expiresAt: moment.nullish(),
  people: z
    .array(z.strictObject({ email, role, name: ignored }).transform(({ email, role }) => ({ email, role })))
    .max(LIMITS.peoplePerCanvas.value)
    .refine((people) => distinct(people.map((each) => each.email)), "must not contain an address twice")
    .nullable()
    .transform((people) => people ?? [])
    .optional(),
  teams: z
    .array(
      z.strictObject({ id: z.string(), role, name: ignored }).transform(({ id, role }) => ({ id, role })),
    )
    .max(LIMITS.teamsPerCanvas.value)
    .refine((teams) => distinct(teams.map(({ id }) => id)), "must not contain a team twice")
    .nullable()
    .transform((teams) => teams ?? [])
    .optional(),
  expectedSharing: z.string().optional(),
});

/** Replaces the password in the request body with its hash. Hashing is slow. */
async function hashPassword(
  { password, expectedSharing, ...given }: z.output<typeof Sharing>,
  user: User,
  env: Env,
) {
  return { given, expectedSharing, passwordHash: await passwordHashOf(password, user, env) };
}

/**
 * Returns a canvas as it is now to a user who had a role on it when the call began. It is read as its owner sees it, because the user may be
 * an editor who has lost that role.
 */
async function viewAfter(canvas: CanvasRow, user: User, env: Env): Promise<Canvas> {
  const asOwner = { id: canvas.owner_id, email: canvas.owner_email };
  const row = await findCanvas(canvas.id, asOwner, env);
  const { role } = (await findCanvas(canvas.id, user, env)) ?? canvas;
  return viewFor({ ...(row ?? refuse("NOT_FOUND")), role }, env);
}

/** The endpoint for the sharing settings of a canvas (docs/sharing.md#sharing-a-canvas). */
export const sharing = [
  act({
    name: "canvas.share",
    method: "PUT",
    path: "/api/canvases/{id}/sharing",
    summary: "Sets who may open a canvas: general access, password, expiry, people and teams.",
    details:
      "Omitted fields stay as they are, null clears. A password has 8 to 200 characters, and is not one of the most common. With `expectedSharing`, only if that is the `sharingRevision` of the canvas; otherwise 409 `SHARE_CONFLICT` with the `current` canvas. See [sharing](../sharing.md).",
    allow: "editor",
    affects: "canvas",
    body: preparedJson(Sharing, hashPassword),
    response: ok(canvas),
    errors: [
      "PUBLIC_LINKS_DISABLED",
      "PUBLIC_NOT_ALLOWED",
      "PUBLIC_LINK_OWNER_GATED",
      "ORG_REQUIRED",
      "SHARE_CONFLICT",
    ],
    async run({ user, canvas, body: { given, expectedSharing, passwordHash } }, env) {
      if (!(await saveSharing(canvas, user, { ...given, passwordHash }, env, expectedSharing)))
        refuse("SHARE_CONFLICT", { current: await currentView(canvas.id, user, env) });
      const details = {
        ...given,
        ...(passwordHash === undefined ? {} : { password: passwordHash !== null }),
      };
      return { body: await viewAfter(canvas, user, env), audit: { details } };
    },
  }),
];

const Owner = z.strictObject({ email });

/** The endpoint for transferring a canvas to another owner. */
export const owner = [
  act({
    name: "canvas.transfer",
    method: "PUT",
    path: "/api/canvases/{id}/owner",
    summary: "Makes one of the editors the owner of the canvas and the former owner an editor.",
    details:
      "The slugs of the canvas, former ones included, go along. 409 `QUOTA_EXCEEDED` where the quotas of the new owner have no room for it.",
    allow: "owner",
    affects: "canvas",
    body: json(Owner),
    response: ok(canvas),
    errors: [["QUOTA_EXCEEDED", 409]],
    async run({ user, canvas: from, body: { email: to } }, env) {
      const { id } = from;
      const mail = ownershipMail({ email: to }, from, user, env);
      const outcome = await transferCanvas(id, user, to, env, mailSteps(newId(), mail, user.id, env));
      if (outcome === "not_an_editor") {
        refuse("INVALID_BODY", { message: "The new owner must be an editor who has signed in." });
      }
      if (outcome !== "done") {
        const message =
          "The quotas of the new owner have no room for this canvas; an administrator can raise them.";
        refuse("QUOTA_EXCEEDED", { quota: outcome, message }, 409);
      }
      return { body: await currentView(id, user, env), audit: { target: to } };
    },
  }),
];

const NewInvite = z.strictObject({
  email,
  name: label(LIMITS.nameLength.value).optional(),
  linkExpiresAt: later.nullish(),
});

const Renewal = z.strictObject({ linkExpiresAt: later.nullish() });

const linkOf = (token: string, { base }: Env): string => `${base.origin}/auth/invite/${token}`;

/** Returns the end of a link that is made now. Throws 400 `INVALID_BODY` for one that is later than the instance allows. */
function linkEnd(asked: number | null | undefined, env: Env): number {
  const latest = latestLinkEnd(env);
  const linkExpiresAt = asked ?? latest;
  if (linkExpiresAt > latest)
    refuse("INVALID_BODY", {
      field: "linkExpiresAt",
      message: `A link is valid for at most ${env.config.inviteDays} days here.`,
    });
  return linkExpiresAt;
}

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
    details: `\`url\` is the link to send to them, returned this once; \`mailed\` says whether the service sends it to them. It lets them in until \`linkExpiresAt\`, by default and at most for the days of \`SERVICE_INVITE_DAYS\`; they stay until the invitation is revoked. 409 \`KEY_LIMIT\` for a canvas with ${LIMITS.invitesPerCanvas.value} invitations that are not revoked.`,
    allow: "owner",
    affects: "canvas",
    body: json(NewInvite),
    response: created(newInvitation),
    errors: ["KEY_LIMIT"],
    async run({ user, canvas, body: { email, name = nameOf(email), linkExpiresAt: asked } }, env) {
      const linkExpiresAt = linkEnd(asked, env);
      const invite = await createInvite(canvas.id, { email, name, linkExpiresAt }, user, env, (made) => {
        const link = { title: canvas.title, url: linkOf(made.token, env), until: linkExpiresAt };
        return mailSteps(made.id, invitationMail({ email, name }, link, user, env), user.id, env);
      });
      const { id, token } =
        invite ?? refuse("KEY_LIMIT", { message: "This canvas has as many invitations as it may have." });
      const mailed = await isMailed(id, env);
      return {
        body: { id, email, url: linkOf(token, env), linkExpiresAt, mailed },
        audit: { target: id, details: { email } },
      };
    },
  }),
  act({
    name: "canvas.renew-invite",
    method: "POST",
    path: "/api/canvases/{id}/invites/{invite}/link",
    summary: "Makes another link for a guest, in place of the former one.",
    details:
      "For a guest whose link has expired or is lost, or was seen by others. The guest stays the same one, signed in where they are, and is a guest of the caller from now on. `url`, `mailed` and `linkExpiresAt` are those of `canvas.invite`. 404 `NOT_FOUND` for a revoked invitation.",
    allow: "owner",
    affects: "canvas",
    body: optionalJson(Renewal),
    response: created(newInvitation),
    async run({ user, canvas, params: { invite: id }, body }, env) {
      const linkExpiresAt = linkEnd(body.linkExpiresAt, env);
      const row = (isId(id) ? await findInviteRow(id, env) : undefined) ?? refuse("NOT_FOUND");
      const guest = { email: row.invite_email, name: row.invite_name };
      const mailId = newId();
      const invite = { id, canvasId: canvas.id, linkExpiresAt };
      const token = await renewInvite(invite, user, env, (token) => {
        const link = { title: canvas.title, url: linkOf(token, env), until: linkExpiresAt };
        return mailSteps(mailId, invitationMail(guest, link, user, env), user.id, env);
      });
      const url = linkOf(token ?? refuse("NOT_FOUND"), env);
      const mailed = await isMailed(mailId, env);
      return {
        body: { id, email: guest.email, url, linkExpiresAt, mailed },
        audit: { target: id, details: { email: guest.email } },
      };
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
