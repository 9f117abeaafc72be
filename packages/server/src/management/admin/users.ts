import { z } from "zod";
import { isId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { paged } from "../../http/paging.ts";
import { refuse } from "../../http/refusal.ts";
import { PERSON_QUOTA_NAMES, type PersonQuotas } from "../../organisation/quotas.ts";
import { findSupervisedUser, listUsers, type SupervisedUser, setUser } from "../../organisation/users.ts";
import { actWithJson, anyone } from "../act.ts";
import { quota } from "../fields.ts";
import { listing } from "../list-query.ts";
import { ok, type Routes } from "../route.ts";

const Patch = z.strictObject({
  deactivated: z.boolean().optional(),
  canPublishPublic: z.boolean().optional(),
  quotas: z.partialRecord(z.enum(PERSON_QUOTA_NAMES), quota).optional(),
});

const viewOf = (row: SupervisedUser, { config }: Env) => ({
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
    "versions.canvas": row.quota_versions,
  } satisfies PersonQuotas,
});

/** Everyone who has signed in, and what they may do (management API, section 4). */
export const users: Routes = {
  "/admin/users": {
    async GET({ query }, env) {
      const { limit, ...asked } = listing(query);
      const rows = await listUsers({ ...asked, limit: limit + 1 }, env);
      const { entries, nextCursor } = paged(rows, limit, ({ id }) => id);
      return ok({ users: entries.map((row) => viewOf(row, env)), nextCursor });
    },
  },

  "/admin/users/:id": {
    PATCH: actWithJson("user.update", Patch, {
      may: anyone,
      async run({ params: { id = "" }, user: self }, _all, patch, env) {
        if (patch.deactivated && id === self.id) {
          refuse("INVALID_BODY", { message: "Nobody deactivates themselves: another administrator can." });
        }
        const found =
          isId(id) && (await setUser(id, patch, env)) ? await findSupervisedUser(id, env) : undefined;
        const user = viewOf(found ?? refuse("NOT_FOUND"), env);
        return ok(user, { target: id, details: { email: user.email, ...patch } });
      },
    }),
  },
};
