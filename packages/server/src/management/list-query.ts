import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { isId } from "../crypto/ids.ts";
import { pageLimit } from "../http/query.ts";

/** The cursor of the first page. A page contains ids that are smaller than its cursor, and every id begins with a hexadecimal digit. */
const END = "z";

/** The query parameters of a list. The page begins after `cursor` and has at most `limit` entries, or `usual` without a limit. */
const pageOf = (usual: number) =>
  z.object({
    cursor: z
      .string()
      .refine(isId, "is not a cursor of this list")
      .meta({ description: "`nextCursor` of the previous page; absent for the first page." })
      .optional()
      .transform((cursor) => cursor ?? END),
    limit: z
      .string()
      .meta({
        description: "The maximum number of entries of the page. Numbers outside the bounds are clamped.",
        type: "integer",
        minimum: 1,
        maximum: LIMITS.pageMax.value,
        default: usual,
      })
      .optional()
      .transform((limit) => pageLimit({ limit: limit ?? String(usual) })),
  });

/** The query parameters of a list. */
export const page = pageOf(LIMITS.pageDefault.value);

/** The query parameters of a short list, which most clients read at once. */
export const longPage = pageOf(LIMITS.pageMax.value);

/** The query parameters of a search: the list contains only entries in which the text `q` occurs. */
export const search = z.object({
  q: z
    .string()
    .refine((q) => !q.includes("\0"), "must not contain a NUL character")
    .meta({ description: "A text that the entries contain, in any letter case." })
    .optional()
    .transform((q) => q ?? ""),
  ...page.shape,
});

/** The query parameters of a search for canvases. `deleted` selects the deleted canvases instead of the others. */
export const canvasSearch = z.object({
  ...search.shape,
  deleted: z
    .enum(["true", "false"])
    .default("false")
    .meta({ description: "`true` lists the deleted canvases that can be restored instead." })
    .transform((deleted) => deleted === "true"),
});
