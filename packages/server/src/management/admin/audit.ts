import type { Json } from "@easel/protocol/types";
import { isId } from "../../crypto/ids.ts";
import { paged } from "../../http/paging.ts";
import { one } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import { type KeptEntry, listAudit } from "../../organisation/audit.ts";
import { listing } from "../list-query.ts";
import { ok, type Routes } from "../route.ts";

const viewOf = (entry: KeptEntry) => ({
  id: entry.id,
  at: entry.at,
  actor: { id: entry.actor_id, email: entry.actor_email },
  act: entry.act,
  canvasId: entry.canvas_id,
  target: entry.target,
  address: entry.address,
  details: entry.details === null ? null : (JSON.parse(entry.details) as Json),
});

/** Who changed what through this API, and from where (management API, section 4). */
export const audit: Routes = {
  "/admin/audit": {
    async GET({ query }, env) {
      const { limit, cursor } = listing(query);
      const canvas = one(query, "canvas") ?? null;
      if (canvas !== null && !isId(canvas)) refuse("INVALID_BODY", { message: "`canvas` is no id." });
      const rows = await listAudit({ canvas, cursor, limit: limit + 1 }, env);
      const { entries, nextCursor } = paged(rows, limit, ({ id }) => id);
      return ok({ entries: entries.map(viewOf), nextCursor });
    },
  },
};
