import type { AdminUser } from "@easel/protocol/management";
import { z } from "zod";
import { isId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { quota } from "../../http/field-schemas.ts";
import { paged } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import { PERSON_QUOTA_NAMES } from "../../organisation/quotas.ts";
import {
  findUserDetails,
  listUsers,
  type UserDetailsRow,
  updateUser,
} from "../../organisation/user-details.ts";
import { act, ok } from "../act.ts";
import { json } from "../bodies.ts";
import { search } from "../list-query.ts";
import { adminUser, adminUserList } from "../responses/admin.ts";

const Patch = z.strictObject({
  deactivated: z.boolean().optional(),
  canPublishPublic: z.boolean().optional(),
  quotas: z.partialRecord(z.enum(PERSON_QUOTA_NAMES), quota).optional(),
});

const viewOf = (row: UserDetailsRow, { config }: Env): AdminUser => ({
  id: row.id,
  email: row.email,
  name: row.name,
  avatarUrl: row.avatar_url,
  createdAt: row.created_at,
  deactivatedAt: row.deactivated_at,
  canPublishPublic: row.can_publish_public === 1,
  isAdmin: config.adminEmails.includes(row.email),
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
    details: "`q` filters by e-mail address and name.",
    allow: "administrator",
    query: search,
    response: ok(adminUserList),
    async run({ query: { limit, ...filter } }, env) {
      const rows = await listUsers({ ...filter, limit: limit + 1 }, env);
      const { entries, nextCursor } = paged(rows, limit, ({ id }) => id);
      return { body: { users: entries.map((row) => viewOf(row, env)), nextCursor } };
    },
  }),
  act({
    name: "user.update",
    method: "PATCH",
    path: "/api/admin/users/{id}",
    summary: "Deactivates or reactivates a user, or changes their rights and quotas.",
    details:
      "Deactivating ends sessions and access tokens for good; administrators cannot deactivate themselves. A quota of null restores that of the instance.",
    allow: "administrator",
    affects: "people",
    body: json(Patch),
    response: ok(adminUser),
    async run({ user: self, params: { id }, body }, env) {
      if (body.deactivated && id === self.id) {
        refuse("INVALID_BODY", {
          message: "You cannot deactivate your own account; another administrator can.",
        });
      }
      const found =
        isId(id) && (await updateUser(id, body, env)) ? await findUserDetails(id, env) : undefined;
      const user = viewOf(found ?? refuse("NOT_FOUND"), env);
      return { body: user, audit: { target: id, details: { email: user.email, ...body } } };
    },
  }),
];
