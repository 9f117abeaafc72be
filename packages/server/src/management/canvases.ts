import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { listPeople } from "../canvases/sharing.ts";
import { isFreeSlug, slugsFor } from "../canvases/slug.ts";
import { createCanvas, listCanvases } from "../canvases/store.ts";
import { viewOf } from "../canvases/view.ts";
import { isId, newId } from "../kit/ids.ts";
import { readJson } from "../kit/json-body.ts";
import { one, pageLimit } from "../kit/page.ts";
import { refuse } from "../kit/refusal.ts";
import { canvasOf, currentView } from "./canvas.ts";
import { created, ok, type Routes } from "./route.ts";

const printable = z.string().regex(/^\P{Cc}*$/u, "must not hold control characters");

const NewCanvas = z.strictObject({
  title: printable.trim().min(1).max(LIMITS.titleLength.value),
  slug: z.string().optional(),
  tags: z.array(printable.min(1).max(LIMITS.tagLength.value)).max(LIMITS.tags.value).default([]),
});

/** Making, listing and reading canvases (management API, section 4). */
export const canvases: Routes = {
  "/canvases": {
    async GET({ person, query }, env) {
      const limit = pageLimit(query);
      const cursor = one(query, "cursor") ?? null;
      const q = one(query, "q") ?? "";
      if ((cursor !== null && !isId(cursor)) || q.includes("\0")) refuse("INVALID_BODY");
      const filter = { q, cursor, limit: limit + 1 };
      const rows = await listCanvases(person, filter, env);
      const page = rows.slice(0, limit);
      const views = page.map(async (row) => viewOf(row, await listPeople(row.id, env), env));
      return ok({
        canvases: await Promise.all(views),
        nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
      });
    },

    POST: {
      act: "canvas.create",
      run: async ({ person, request }, env) => {
        const { title, slug, tags } = await readJson(request, NewCanvas);
        if (slug !== undefined && !isFreeSlug(slug)) {
          refuse("INVALID_BODY", {
            reason: "invalid_slug",
            message: "A slug has 3 to 63 lower-case letters, digits and inner hyphens, and is not reserved.",
          });
        }
        const id = newId();
        for (const candidate of slug === undefined ? slugsFor(title) : [slug]) {
          if (await createCanvas({ id, slug: candidate, title, tags }, person.id, env)) {
            return created(await currentView(id, person, env), { canvas: id, details: { slug: candidate } });
          }
        }
        return refuse("SLUG_TAKEN");
      },
    },
  },

  "/canvases/:id": {
    async GET(call, env) {
      const row = await canvasOf(call, env);
      return ok(viewOf(row, await listPeople(row.id, env), env));
    },
  },
};
