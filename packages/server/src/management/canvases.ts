import { z } from "zod";
import { purgeOwned, restoreOwned } from "../canvases/deletion.ts";
import { listCanvases, viewsOfList } from "../canvases/lists.ts";
import { metadata, tags, title } from "../canvases/publishing/canvas-schemas.ts";
import { createCanvas } from "../canvases/publishing/create.ts";
import { deleteCanvas, deleteDraft, patchCanvas, unpublishCanvas } from "../canvases/update.ts";
import { currentView, viewFor } from "../canvases/view.ts";
import { refuse } from "../http/refusal.ts";
import { act, created, noContent, ok } from "./act.ts";
import { json, optionalJson } from "./bodies.ts";
import { canvasLists, listQueryOf } from "./list-query.ts";
import { canvas, canvasList } from "./responses/canvas.ts";

const flag = z.boolean().optional();

const NewCanvas = z.strictObject({
  title,
  slug: z.string().optional(),
  tags: tags.default([]),
  orgId: z.string().optional(),
});

const Patch = z.strictObject({
  title: title.optional(),
  slug: z.string().optional(),
  tags: tags.optional(),
  metadata: metadata.nullish(),
  archived: flag,
  galleryListed: flag,
  galleryTemplatable: flag,
  discoverability: z.enum(["link_only", "listed"]).optional(),
  spa: flag,
});

const Restore = z.strictObject({ slug: z.string().optional() });

/** The endpoints for the canvases of the caller (docs/http/management.md#the-record-of-a-canvas). */
export const canvases = [
  act({
    name: "canvas.list",
    method: "GET",
    path: "/api/canvases",
    summary:
      "Lists canvases: by default those that the caller owns or that are shared with them, newest first.",
    details:
      "`list` selects [one list](#lists-of-canvases), `q` filters by title and slug. A page ends early where it would be much larger than 512 KiB. `list=trash`, or `deleted=true`, lists the canvases that the caller owned and has deleted within 30 days instead, with the times `deletedAt` and `purgeAt`, until which `canvas.restore-own` brings them back.",
    allow: "members",
    ofAnyCanvas: true,
    query: canvasLists,
    response: ok(canvasList),
    async run({ user, query }, env) {
      const { entries, nextCursor } = await listCanvases(user, listQueryOf(query), env);
      return { body: { canvases: await viewsOfList(entries, env), nextCursor } };
    },
  }),
  act({
    name: "canvas.create",
    method: "POST",
    path: "/api/canvases",
    summary: "Creates a private canvas without a version, with its backend off.",
    details: "Its slug is derived from the title unless it is given. 409 `SLUG_TAKEN`, 409 `QUOTA_EXCEEDED`.",
    allow: "members",
    affects: "canvas",
    deploys: true,
    body: json(NewCanvas),
    response: created(canvas),
    errors: ["SLUG_TAKEN", ["QUOTA_EXCEEDED", 409]],
    async run({ user, body }, env) {
      const { id, slug } = await createCanvas(user, body, env);
      return { body: await currentView(id, user, env), audit: { canvas: id, details: { slug } } };
    },
  }),
  act({
    name: "canvas.read",
    method: "GET",
    path: "/api/canvases/{id}",
    summary: "Returns a canvas.",
    allow: "viewer",
    response: ok(canvas),
    run: async (call, env) => ({ body: await viewFor(call.canvas, env) }),
  }),
  act({
    name: "canvas.update",
    method: "PATCH",
    path: "/api/canvases/{id}",
    summary: "Changes title, slug, tags, metadata, listing or `spa` of a canvas, or archives it.",
    details:
      "With `spa`, navigations to paths without a file get `index.html` ([serving](../publishing.md#single-page-apps)). A former slug stays reserved for 30 days, and for [other people](../publishing.md#addresses) for good. 409 `SLUG_TAKEN`.",
    allow: "editor",
    affects: "canvas",
    deploys: ["title", "slug", "spa"],
    body: json(Patch),
    response: ok(canvas),
    errors: ["SLUG_TAKEN"],
    async run({ canvas, body: patch }, env) {
      const changed = await patchCanvas(canvas.id, patch, env);
      const { metadata, ...recorded } = patch;
      const details = metadata === undefined ? recorded : { ...recorded, metadata: true };
      return { body: await viewFor({ ...canvas, ...changed }, env), audit: { details } };
    },
  }),
  act({
    name: "canvas.delete",
    method: "DELETE",
    path: "/api/canvases/{id}",
    summary: "Deletes a canvas.",
    details:
      "The owner and administrators can restore it for 30 days. Its slug stays reserved as long, and for [other people](../publishing.md#addresses) for good; that of a canvas that never had a version is free at once. A token with the scope `deploy` deletes only such a canvas.",
    allow: "owner",
    deploys: true,
    affects: "canvas",
    response: noContent,
    async run({ user, canvas: { id, slug } }, env) {
      if (user.restriction?.scope !== "deploy") await deleteCanvas(id, env);
      else if (!(await deleteDraft(id, env)))
        refuse("PERMISSION_DENIED", {
          message: "This access token can only delete canvases that were never deployed.",
        });
      return { body: undefined, audit: { details: { slug } } };
    },
  }),
  act({
    name: "canvas.restore-own",
    method: "POST",
    path: "/api/canvases/{id}/restore",
    summary: "Restores a canvas that the caller deleted, as it was.",
    details:
      "404 `NOT_FOUND` unless it was deleted within 30 days. 409 `SLUG_TAKEN` where another canvas has the slug, which is possible only if this one never had a version: `slug` gives it a new one. 409 `QUOTA_EXCEEDED`.",
    allow: "formerOwner",
    affects: "canvas",
    body: optionalJson(Restore),
    response: ok(canvas),
    errors: ["SLUG_TAKEN", ["QUOTA_EXCEEDED", 409]],
    async run({ user, params: { id }, body: { slug } }, env) {
      await restoreOwned(id, user.id, slug, env);
      const restored = await currentView(id, user, env);
      return { body: restored, audit: { details: { slug: restored.slug } } };
    },
  }),
  act({
    name: "canvas.purge-own",
    method: "DELETE",
    path: "/api/canvases/{id}/trash",
    summary: "Removes a canvas that the caller deleted for good, with its versions, its data and its files.",
    details:
      "It cannot be undone. Its quotas are free at once; uploaded files leave the disk with the next hourly sweep. 404 `NOT_FOUND` unless the canvas was deleted within 30 days.",
    allow: "formerOwner",
    affects: "canvas",
    response: noContent,
    async run({ user, params: { id }, deleted: { title } }, env) {
      await purgeOwned(id, user.id, env);
      return { body: undefined, audit: { details: { title } } };
    },
  }),
  act({
    name: "canvas.unpublish",
    method: "POST",
    path: "/api/canvases/{id}/unpublish",
    summary: "Takes a canvas offline until a version is deployed or published again.",
    allow: "editor",
    affects: "canvas",
    response: ok(canvas),
    async run({ user, canvas: { id } }, env) {
      await unpublishCanvas(id, env);
      return { body: await currentView(id, user, env) };
    },
  }),
];
