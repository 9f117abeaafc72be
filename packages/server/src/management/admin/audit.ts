import type { Json } from "@easel/protocol/types";
import { isId } from "../../kit/ids.ts";
import { one, paged } from "../../kit/page.ts";
import { refuse } from "../../kit/refusal.ts";
import { type KeptEntry, listAudit } from "../../organisation/audit.ts";
import { listing } from "../list.ts";
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
