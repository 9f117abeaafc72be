import { LIMITS } from "@easel/protocol/limits";
import type { AdminUser } from "@easel/protocol/management";
import { z } from "zod";
import { administratorId, nameOf, SHELL, type User } from "../../access/principal.ts";
import { usageOfPerson } from "../../canvases/owner-quotas.ts";
import { isId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { distinct, email, label, quota } from "../../http/field-schemas.ts";
import { paged } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import { credentialsOf } from "../../identity/sign-out.ts";
import { findUserRow, isListed, type UserRow } from "../../identity/users.ts";
import { isLastAdministrator } from "../../organisation/administrators.ts";
import { canvasesToHandOver, handOver, teamsToHandOver } from "../../organisation/handover.ts";
import { PERSON_QUOTA_NAMES } from "../../organisation/quotas.ts";
import {
  addUser,
  findUserDetails,
  listUsers,
  type UserDetailsRow,
  updateUser,
} from "../../organisation/user-details.ts";
import { act, created, ok } from "../act.ts";
import { json, reason } from "../bodies.ts";
import { page, userSearch } from "../list-query.ts";
import {
  adminUser,
  adminUserDetails,
  adminUserList,
  handoverPreview,
  handoverResult,
} from "../responses/admin.ts";

const Patch = z.strictObject({
  deactivated: z.boolean().optional(),
  canPublishPublic: z.boolean().optional(),
  quotas: z.partialRecord(z.enum(PERSON_QUOTA_NAMES), quota).optional(),
});

const Handover = z.strictObject({
  to: email,
  canvases: z
    .array(z.string().refine(isId, "must be the id of a canvas"))
    .max(LIMITS.pageMax.value)
    .refine(distinct, "must not name a canvas twice")
    .optional(),
  teams: z.boolean().default(false),
  deactivate: z.boolean(),
  reason,
});

const NewUser = z.strictObject({
  email,
  name: label(LIMITS.nameLength.value).optional(),
  deactivated: z.boolean().default(false),
});

const DEACTIVATED = "Your own account has been deactivated meanwhile.";

/** Throws 400 `INVALID_BODY` for administrators who deactivate themselves. */
export function refuseSelf(id: string, self: User): void {
  if (id === self.id)
    refuse("INVALID_BODY", {
      message: "You cannot deactivate your own account; another administrator can.",
    });
}

/**
 * Throws 400 `INVALID_BODY` if nobody would be an administrator after a person is deactivated: for administrators who deactivate themselves, and for
 * the shell, which is nobody itself.
 */
async function requireAdministrator(id: string, self: User, env: Env): Promise<void> {
  refuseSelf(id, self);
  if (self === SHELL && (await isLastAdministrator(id, env)))
    refuse("INVALID_BODY", {
      message:
        "This is the last administrator who can sign in. Name another one in SERVICE_ADMIN_EMAILS first.",
    });
}

/** Finds the user whose id is in the path of a request. Throws 404 `NOT_FOUND` if there is none. */
export const userOf = async (id: string, env: Env): Promise<UserDetailsRow> =>
  (isId(id) ? await findUserDetails(id, env) : undefined) ?? refuse("NOT_FOUND");

/**
 * Finds the active member who is to own canvases. Throws 400 `INVALID_BODY` if nobody has signed in with the address, or if they are
 * deactivated.
 */
export async function newOwner(email: string, field: string, env: Env): Promise<UserRow> {
  const row = await findUserRow(email, env);
  if (row === undefined)
    refuse("INVALID_BODY", { field, message: "Nobody has signed in with the address of the new owner." });
  else if (row.deactivated_at !== null)
    refuse("INVALID_BODY", { field, message: "The new owner is deactivated." });
  else return row;
}

const viewOf = (row: UserDetailsRow, { config }: Env): AdminUser => ({
  id: row.id,
  email: row.email,
  name: row.name,
  avatarUrl: row.avatar_url,
  createdAt: row.created_at,
  deactivatedAt: row.deactivated_at,
  erasedAt: row.erased_at,
  lastSeenAt: row.last_seen_at,
  canPublishPublic: row.can_publish_public === 1,
  isAdmin: isListed(
    { email: row.email, listedAs: row.listed_as, inAdminGroup: row.admin_group === 1 },
    config,
  ),
  canvases: row.canvases,
  quotas: {
    "canvases.person": row.quota_canvases,
    "bundles.bytes.person": row.quota_bytes,
    "files.bytes.person": row.quota_files,
    "versions.canvas": row.quota_versions,
  },
});

/** The endpoints with which administrators see and change users (docs/http/management.md#administration). */
export const users = [
  act({
    name: "user.list",
    method: "GET",
    path: "/api/admin/users",
    summary: "Lists the users who have signed in, newest first.",
    details:
      "`q` filters by e-mail address and name. `show` lists only people who are `active` or `deactivated`, who are deactivated and own canvases (`ownersDeactivated`), who use more than 90 % of a quota (`quotasNear`), or who have quotas of their own (`quotasOwn`).",
    allow: "administrator",
    query: userSearch,
    response: ok(adminUserList),
    async run({ query: { limit, ...filter } }, env) {
      const rows = await listUsers({ ...filter, limit: limit + 1 }, env);
      const { entries, nextCursor } = paged(rows, limit, ({ id }) => id);
      return { body: { users: entries.map((row) => viewOf(row, env)), nextCursor } };
    },
  }),
  act({
    name: "user.add",
    method: "POST",
    path: "/api/admin/users",
    summary: "Adds a person before their first sign-in.",
    details:
      "They sign in like everyone else; nothing is sent to them. With `deactivated: true` they cannot, until somebody reactivates them. 409 `NOT_UNIQUE` if there is a person with the address.",
    allow: "administrator",
    affects: "people",
    body: json(NewUser),
    response: created(adminUser),
    errors: ["NOT_UNIQUE"],
    async run({ body: { email, name = nameOf(email), deactivated } }, env) {
      const id = await addUser({ email, name, deactivated }, env);
      if (id === null)
        refuse("NOT_UNIQUE", { field: "email", message: "There is a person with this address already." });
      const user = viewOf(await userOf(id, env), env);
      return { body: user, audit: { target: id, details: { email, deactivated } } };
    },
  }),
  act({
    name: "user.update",
    method: "PATCH",
    path: "/api/admin/users/{id}",
    summary: "Deactivates or reactivates a user, or changes their rights and quotas.",
    details:
      "Deactivating ends sessions, access tokens and connected tools for good; administrators cannot deactivate themselves. A quota of null restores that of the instance.",
    allow: "administrator",
    affects: "people",
    body: json(Patch),
    response: ok(adminUser),
    async run({ user: self, params: { id }, body }, env) {
      if (body.deactivated) await requireAdministrator(id, self, env);
      const outcome = isId(id) ? await updateUser(id, body, administratorId(self), env) : "not_found";
      if (outcome === "not_allowed") refuse("PERMISSION_DENIED", { message: DEACTIVATED });
      if (outcome === "erased") refuse("INVALID_BODY", { message: "This person was erased." });
      const found = outcome === "done" ? await findUserDetails(id, env) : undefined;
      const user = viewOf(found ?? refuse("NOT_FOUND"), env);
      return { body: user, audit: { target: id, details: { email: user.email, ...body } } };
    },
  }),
  act({
    name: "user.read",
    method: "GET",
    path: "/api/admin/users/{id}",
    summary:
      "Returns a user, what they use of the quotas on what they own, and the number of their sessions, access tokens and connected tools.",
    allow: "administrator",
    response: ok(adminUserDetails),
    async run({ params: { id } }, env) {
      const row = await userOf(id, env);
      const [usage, credentials] = await Promise.all([usageOfPerson(id, env), credentialsOf(id, env)]);
      return { body: { ...viewOf(row, env), usage, ...credentials } };
    },
  }),
  act({
    name: "user.handover-preview",
    method: "GET",
    path: "/api/admin/users/{id}/handover",
    summary:
      "Lists what a user owns, for a handover: their canvases, newest first, and the teams that they have created.",
    details:
      "`editors` are the active members who edit the canvas, at most 20. Deleted canvases are left out: they stay with the user until they are restored or removed for good.",
    allow: "administrator",
    query: page,
    response: ok(handoverPreview),
    async run({ params: { id }, query }, env) {
      await userOf(id, env);
      const [{ entries: canvases, nextCursor }, teams, credentials] = await Promise.all([
        canvasesToHandOver(id, query, env),
        teamsToHandOver(id, env),
        credentialsOf(id, env),
      ]);
      return { body: { canvases, nextCursor, teams, ...credentials } };
    },
  }),
  act({
    name: "user.handover",
    method: "POST",
    path: "/api/admin/users/{id}/handover",
    summary: "Hands the canvases of a user to another member, and deactivates the user at the end.",
    details:
      "`canvases` are ids, by default all; `teams` also hands over the teams that the user has created. Each is moved on its own: `left` says what could not be moved and why, and the request can be repeated, also after a failure in the middle. One request moves at most 1,000 canvases; `remaining` is how many the user still owns. The user stays an editor of the canvases, or with `deactivate` has no role there. They are deactivated only if nothing is left and `remaining` is 0.",
    allow: "administrator",
    affects: "people",
    body: json(Handover),
    response: ok(handoverResult),
    async run({ user: self, address, params: { id }, body, signal }, env) {
      if (body.deactivate) await requireAdministrator(id, self, env);
      const from = await userOf(id, env);
      const to = await newOwner(body.to, "to", env);
      if (to.id === id)
        refuse("INVALID_BODY", { field: "to", message: "The new owner must be somebody else." });
      const { reason = null, ...asked } = body;
      const by = { actor: self, address };
      const result = await handOver(from, to, { ...asked, reason }, by, signal(), env);
      const details = { from: from.email, ...asked, reason, ...result, left: result.left.length };
      return { body: result, audit: { target: id, details } };
    },
  }),
];
