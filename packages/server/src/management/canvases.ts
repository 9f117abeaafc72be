import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import type { User } from "../access/principal.ts";
import { refuseOver } from "../canvases/owner-quotas.ts";
import { isFreeSlug, slugsFor } from "../canvases/publishing/slug.ts";
import { createCanvas, listCanvases } from "../canvases/store.ts";
import { deleteCanvas, patchCanvas, unpublishCanvas } from "../canvases/update.ts";
import { currentView, viewFor, viewsFor } from "../canvases/view.ts";
import { newId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { orgsOf } from "../organisation/orgs.ts";
import { act, actWithJson, anyone } from "./act.ts";
import { canvasOf, managedCanvas, ownedCanvas } from "./canvas.ts";
import { label, tags } from "./fields.ts";
import { listing } from "./list-query.ts";
import { created, done, ok, type Routes } from "./route.ts";

const title = label(LIMITS.titleLength.value);
const onOff = z.boolean().optional();

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
  metadata: z
    .record(z.string(), z.json())
    .refine(
      (metadata) => Buffer.byteLength(JSON.stringify(metadata)) <= LIMITS.metadataBytes.value,
      "must not be larger than 16 KiB",
    )
    .nullish(),
  archived: onOff,
  galleryListed: onOff,
  galleryTemplatable: onOff,
  discoverability: z.enum(["link_only", "listed"]).optional(),
});

function requireFreeSlug(slug: string): void {
  if (isFreeSlug(slug)) return;
  refuse("INVALID_BODY", {
    reason: "invalid_slug",
    message: "A slug has 3 to 63 lower-case letters, digits and inner hyphens, and is not reserved.",
  });
}

/** The home organisation of a new canvas: its maker's, where people belong to organisations. */
async function homeOf(user: User, wanted: string | undefined, env: Env): Promise<string | null> {
  const orgs = env.config.tenancy ? await orgsOf(user.email, env) : [];
  if (wanted === undefined) return orgs[0]?.id ?? null;
  if (orgs.some(({ id }) => id === wanted)) return wanted;
  return refuse("INVALID_BODY", {
    reason: "org_forbidden",
    message: "You do not belong to this organisation.",
  });
}

/** Making, listing, reading, changing and deleting canvases (management API, section 4). */
export const canvases: Routes = {
  "/canvases": {
    async GET({ user, query }, env) {
      const { entries, nextCursor } = await listCanvases(user, listing(query), env);
      return ok({ canvases: await viewsFor(entries, env), nextCursor });
    },

    POST: actWithJson("canvas.create", NewCanvas, {
      may: anyone,
      async run({ user }, _all, { title, slug, tags, orgId }, env) {
        if (slug !== undefined) requireFreeSlug(slug);
        const org = await homeOf(user, orgId, env);
        const id = newId();
        for (const candidate of slug === undefined ? slugsFor(title) : [slug]) {
          const outcome = await createCanvas({ id, slug: candidate, title, tags, org }, user.id, env);
          if (outcome === "full") await refuseOver("canvases.person", user.id, env);
          if (outcome === "done") {
            const note = { canvas: id, details: { slug: candidate } };
            return created(await currentView(id, user, env), note);
          }
        }
        return refuse("SLUG_TAKEN");
      },
    }),
  },

  "/canvases/:id": {
    async GET(call, env) {
      return ok(await viewFor(await canvasOf(call, env), env));
    },

    PATCH: actWithJson("canvas.update", Patch, {
      may: managedCanvas,
      async run(call, { id }, patch, env) {
        if (patch.slug !== undefined) requireFreeSlug(patch.slug);
        const outcome = await patchCanvas(id, patch, env);
        if (outcome !== "done") refuse(outcome === "taken" ? "SLUG_TAKEN" : "NOT_FOUND");
        const { metadata, ...told } = patch;
        const details = metadata === undefined ? told : { ...told, metadata: true };
        return ok(await currentView(id, call.user, env), { details });
      },
    }),

    DELETE: act("canvas.delete", {
      may: ownedCanvas,
      async run(_call, { id, slug }, env) {
        await deleteCanvas(id, env);
        return done({ details: { slug } });
      },
    }),
  },

  "/canvases/:id/unpublish": {
    POST: act("canvas.unpublish", {
      may: managedCanvas,
      async run({ user }, { id }, env) {
        await unpublishCanvas(id, env);
        return ok(await currentView(id, user, env));
      },
    }),
  },
};
