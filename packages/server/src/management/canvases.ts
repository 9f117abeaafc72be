import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { createCanvas } from "../canvases/publishing/create.ts";
import { listCanvases } from "../canvases/store.ts";
import { deleteCanvas, patchCanvas, unpublishCanvas } from "../canvases/update.ts";
import { currentView, viewFor, viewsFor } from "../canvases/view.ts";
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

/** Making, listing, reading, changing and deleting canvases (management API, section 4). */
export const canvases: Routes = {
  "/canvases": {
    async GET({ user, query }, env) {
      const { entries, nextCursor } = await listCanvases(user, listing(query), env);
      return ok({ canvases: await viewsFor(entries, env), nextCursor });
    },

    POST: actWithJson("canvas.create", NewCanvas, {
      may: anyone,
      async run({ user }, _all, given, env) {
        const { id, slug } = await createCanvas(user, given, env);
        return created(await currentView(id, user, env), { canvas: id, details: { slug } });
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
        await patchCanvas(id, patch, env);
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
