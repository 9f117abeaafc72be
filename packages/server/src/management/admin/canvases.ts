import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { accessMode, livingOf, publicationStatus } from "../../canvases/lifecycle.ts";
import {
  disableCanvas,
  enableCanvas,
  findSupervised,
  listSupervised,
  restoreCanvas,
  type SupervisedRow,
} from "../../canvases/supervision.ts";
import { isId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { readJson } from "../../http/json-body.ts";
import { paged } from "../../http/paging.ts";
import { one, type Query } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import { act, actWithInput, anyone } from "../act.ts";
import { printable } from "../fields.ts";
import { listing } from "../list-query.ts";
import { ok, type Routes } from "../route.ts";

const Disable = z.strictObject({ reason: printable.trim().max(500).optional() });

/** A canvas for supervision: never its content, its people, its metadata or its policy. */
function viewOf(row: SupervisedRow, { base, clock }: Env) {
  return {
    id: row.id,
    slug: row.slug,
    url: base.canvasUrl(row.slug),
    title: row.title,
    owner: { id: row.owner_id, email: row.owner_email, name: row.owner_name },
    access: row.access,
    accessMode: accessMode(row.access),
    publicationStatus: publicationStatus(livingOf(row), clock()),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at,
    hasPassword: row.has_password === 1,
    archivedAt: row.archived_at,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
    deletedAt: row.deleted_at,
    version: row.version_id,
  };
}

/** `deleted` of a query: whether the canvases are meant that can be restored. */
function deletedOf(query: Query): boolean {
  const given = one(query, "deleted") ?? "false";
  if (given === "true" || given === "false") return given === "true";
  return refuse("INVALID_BODY", { message: "`deleted` is `true` or `false`." });
}

/** The body may be left out. */
const isLeftOut = ({ headers }: IncomingMessage) =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;

/** The canvas after `change`, which says whether there is one; 404 `NOT_FOUND` otherwise. */
async function changed(id: string, env: Env, change: () => Promise<boolean>) {
  const row = isId(id) && (await change()) ? await findSupervised(id, env) : undefined;
  return viewOf(row ?? refuse("NOT_FOUND"), env);
}

/** Supervising canvases, without a way into them (management API, section 4). */
export const canvases: Routes = {
  "/admin/canvases": {
    async GET({ query }, env) {
      const { limit, ...asked } = listing(query);
      const filter = { ...asked, limit: limit + 1, deleted: deletedOf(query) };
      const { entries, nextCursor } = paged(await listSupervised(filter, env), limit, ({ id }) => id);
      return ok({ canvases: entries.map((row) => viewOf(row, env)), nextCursor });
    },
  },

  "/admin/canvases/:id/disable": {
    POST: actWithInput("canvas.disable", {
      may: anyone,
      input: async ({ request }): Promise<z.infer<typeof Disable>> =>
        isLeftOut(request) ? {} : readJson(request, Disable),
      async run({ params: { id = "" } }, _all, given, env) {
        const reason = given.reason || null;
        return ok(await changed(id, env, () => disableCanvas(id, reason, env)), { details: { reason } });
      },
    }),
  },

  "/admin/canvases/:id/enable": {
    POST: act("canvas.enable", {
      may: anyone,
      run: async ({ params: { id = "" } }, _all, env) =>
        ok(await changed(id, env, () => enableCanvas(id, env))),
    }),
  },

  "/admin/canvases/:id/restore": {
    POST: act("canvas.restore", {
      may: anyone,
      run: async ({ params: { id = "" } }, _all, env) =>
        ok(await changed(id, env, () => restoreCanvas(id, env))),
    }),
  },
};
