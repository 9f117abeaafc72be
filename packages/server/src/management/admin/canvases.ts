import type { AdminCanvas, CanvasFilter } from "@easel/protocol/management";
import { z } from "zod";
import type { User } from "../../access/principal.ts";
import {
  type AdminCanvasRow,
  disableCanvas,
  enableCanvas,
  findForAdmin,
  listForAdmin,
} from "../../canvases/administration.ts";
import { restoreCanvas } from "../../canvases/deletion.ts";
import { refuseOver } from "../../canvases/owner-quotas.ts";
import { reassignCanvas } from "../../canvases/ownership.ts";
import {
  accessMode,
  hasStatus,
  publicationStatus,
  publishedVersion,
  statusFieldsOf,
} from "../../canvases/publication-status.ts";
import { isId, newId } from "../../crypto/ids.ts";
import type { Sql } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { email } from "../../http/field-schemas.ts";
import { paged } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import { mailSteps } from "../../mail/mail-queue.ts";
import { ownershipMail } from "../../mail/mails.ts";
import { expiresSoon } from "../../organisation/attention.ts";
import { act, ok } from "../act.ts";
import { json, optionalJson, reason } from "../bodies.ts";
import { canvasSearch } from "../list-query.ts";
import { adminCanvas, adminCanvasList } from "../responses/admin.ts";
import { newOwner } from "./users.ts";

const Disable = z.strictObject({ reason });
const Owner = z.strictObject({ email, reason });
const Take = z.strictObject({ reason });

const TAKE =
  "To become the owner yourself, use POST /api/admin/canvases/{id}/take: it gives you the content, so it is recorded as an act of its own.";

/** Converts a database row to the canvas that administrators see: without content, people, metadata and policy. */
function viewOf(row: AdminCanvasRow, { base, clock }: Env): AdminCanvas {
  const status = statusFieldsOf(row);
  return {
    id: row.id,
    slug: row.slug,
    url: base.canvasUrl(row.slug),
    title: row.title,
    owner: { id: row.owner_id, email: row.owner_email, name: row.owner_name },
    access: row.access,
    accessMode: accessMode(row.access),
    publicationStatus: publicationStatus(status, clock()),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at,
    hasPassword: row.has_password === 1,
    archivedAt: row.archived_at,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
    deletedAt: row.deleted_at,
    version: publishedVersion(status),
  };
}

/** Calls `change`, and returns the canvas as it is afterwards. Throws 404 `NOT_FOUND` if there is no canvas to change. */
async function afterChange(id: string, env: Env, change: () => Promise<boolean>): Promise<AdminCanvas> {
  const row = isId(id) && (await change()) ? await findForAdmin(id, env) : undefined;
  return viewOf(row ?? refuse("NOT_FOUND"), env);
}

/** Returns the SQL condition of a filter. */
const conditionOf = (show: CanvasFilter, now: number): Sql =>
  show === "sharesExpiring" ? expiresSoon(now) : hasStatus(show, now);

/** How often the owner of a canvas may change while an administrator changes it. */
const REASSIGN_TRIES = 3;

/**
 * Makes the member with the address `to` the owner of a canvas, tells them by mail unless they are the administrator, and returns the address of the
 * former owner. Throws 400 `INVALID_BODY` unless
 * they are an active member, 404 `NOT_FOUND` if there is no such canvas or it is deleted, and 409 `QUOTA_EXCEEDED`.
 */
async function reassign(id: string, to: string, by: User, env: Env): Promise<string> {
  for (let tries = REASSIGN_TRIES; ; tries--) {
    const owner = await newOwner(to, "email", env);
    const row = (isId(id) ? await findForAdmin(id, env) : undefined) ?? refuse("NOT_FOUND");
    if (row.deleted_at !== null)
      refuse("NOT_FOUND", { message: "This canvas is deleted; restore it first." });
    const from = { id: row.owner_id, email: row.owner_email };
    if (from.id === owner.id) return from.email;
    const mails =
      owner.id === by.id ? [] : mailSteps(newId(), ownershipMail({ email: to }, row, by, env), by.id, env);
    const outcome = await reassignCanvas(id, from, to, { keeps: "editor", recorded: null, mails }, env);
    if (outcome === "done") return from.email;
    if (outcome !== "gone") await refuseOver(outcome, owner.id, env);
    if (tries === 1) refuse("UNAVAILABLE");
  }
}

/**
 * The endpoints with which administrators list, disable, enable and restore canvases, without access to their content
 * (docs/http/management.md#administration).
 */
export const canvases = [
  act({
    name: "canvas.list-all",
    method: "GET",
    path: "/api/admin/canvases",
    summary: "Lists the canvases of all users, newest first.",
    details:
      "`q` filters by title, slug and the owner's e-mail address, `show` by `publicationStatus` or, with `sharesExpiring`, those that expire within seven days; `deleted=true` lists the deleted canvases that can be restored instead.",
    allow: "administrator",
    query: canvasSearch,
    response: ok(adminCanvasList),
    async run({ query: { limit, show, ...filter } }, env) {
      const only = show === undefined ? undefined : conditionOf(show, env.clock());
      const rows = await listForAdmin({ ...filter, limit: limit + 1, only }, env);
      const { entries, nextCursor } = paged(rows, limit, ({ id }) => id);
      return { body: { canvases: entries.map((row) => viewOf(row, env)), nextCursor } };
    },
  }),
  act({
    name: "canvas.read-any",
    method: "GET",
    path: "/api/admin/canvases/{id}",
    summary: "Returns a canvas of any user, without its content.",
    details: "Deleted canvases that can be restored are included.",
    allow: "administrator",
    response: ok(adminCanvas),
    run: async ({ params: { id } }, env) => ({ body: await afterChange(id, env, async () => true) }),
  }),
  act({
    name: "canvas.disable",
    method: "POST",
    path: "/api/admin/canvases/{id}/disable",
    summary: "Disables a canvas: its pages and API refuse everyone, and its owner can only look at it.",
    details:
      "Owner and editors read the `reason` (at most 500 characters) in the dashboard, on the page of the canvas and as its `disabledReason`. Disabling again replaces the reason.",
    allow: "administrator",
    affects: "canvas",
    body: optionalJson(Disable),
    response: ok(adminCanvas),
    async run({ params: { id }, body }, env) {
      const reason = body.reason || null;
      const canvas = await afterChange(id, env, () => disableCanvas(id, reason, env));
      return { body: canvas, audit: { details: { reason } } };
    },
  }),
  act({
    name: "canvas.enable",
    method: "POST",
    path: "/api/admin/canvases/{id}/enable",
    summary: "Enables a disabled canvas.",
    allow: "administrator",
    affects: "canvas",
    response: ok(adminCanvas),
    run: async ({ params: { id } }, env) => ({
      body: await afterChange(id, env, () => enableCanvas(id, env)),
    }),
  }),
  act({
    name: "canvas.reassign",
    method: "PUT",
    path: "/api/admin/canvases/{id}/owner",
    summary: "Makes any member the owner of a canvas, and its former owner an editor.",
    details:
      "The slugs of the canvas go along. 409 `QUOTA_EXCEEDED` where the quotas of the new owner have no room for it. A deleted canvas must be restored first. For oneself there is `canvas.take`.",
    allow: "administrator",
    affects: "canvas",
    body: json(Owner),
    response: ok(adminCanvas),
    errors: [["QUOTA_EXCEEDED", 409]],
    async run({ user, params: { id }, body: { email: to, reason = null } }, env) {
      if (to === user.email) refuse("INVALID_BODY", { field: "email", message: TAKE });
      const from = await reassign(id, to, user, env);
      const details = { from, to, reason };
      return { body: await afterChange(id, env, async () => true), audit: { target: to, details } };
    },
  }),
  act({
    name: "canvas.take",
    method: "POST",
    path: "/api/admin/canvases/{id}/take",
    summary: "Makes the administrator themself the owner of a canvas, and its former owner an editor.",
    details:
      "It gives them the content, which administrators do not have otherwise. So it is an act of its own, which owner and editors see in the activity of the canvas. Otherwise like `canvas.reassign`.",
    allow: "administrator",
    affects: "canvas",
    body: optionalJson(Take),
    response: ok(adminCanvas),
    errors: [["QUOTA_EXCEEDED", 409]],
    async run({ user, params: { id }, body: { reason = null } }, env) {
      const to = user.email;
      const from = await reassign(id, to, user, env);
      const details = { from, to, reason };
      return { body: await afterChange(id, env, async () => true), audit: { target: to, details } };
    },
  }),
  act({
    name: "canvas.restore",
    method: "POST",
    path: "/api/admin/canvases/{id}/restore",
    summary: "Restores a deleted canvas as it was.",
    details:
      "One that never had a version has another slug if its own is taken. 404 `NOT_FOUND` unless it was deleted within 30 days.",
    allow: "administrator",
    affects: "canvas",
    response: ok(adminCanvas),
    run: async ({ params: { id } }, env) => ({
      body: await afterChange(id, env, () => restoreCanvas(id, env)),
    }),
  }),
];
