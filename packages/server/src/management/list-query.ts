import { z } from "zod";
import { isId } from "../crypto/ids.ts";
import { pageLimit } from "../http/query.ts";

/** The cursor of the first page. A page contains ids that are smaller than its cursor, and every id begins with a hexadecimal digit. */
const END = "z";

/** The query parameters of a list. The page begins after `cursor` and has at most `limit` entries. */
const page = z.object({
  cursor: z.string().refine(isId, "`cursor` is not a cursor of this list.").default(END),
  limit: z
    .string()
    .optional()
    .transform((limit) => pageLimit({ limit })),
});

/** The query parameters of a search: the list contains only entries in which the text `q` occurs. */
export const search = z.object({
  q: z
    .string()
    .refine((q) => !q.includes("\0"), "`q` must not contain a NUL character.")
    .default(""),
  ...page.shape,
});
