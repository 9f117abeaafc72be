import { LIMITS } from "@easel/protocol/limits";
import { CANVAS_LISTS, CANVAS_SORTS, type CanvasFilter, USER_FILTERS } from "@easel/protocol/management";
import { z } from "zod";
import { parsePosition } from "../canvases/list-order.ts";
import type { ListQuery } from "../canvases/lists.ts";
import { PUBLICATION_STATUSES } from "../canvases/publication-status.ts";
import { isId } from "../crypto/ids.ts";
import { pageLimit } from "../http/query.ts";
import { refuse } from "../http/refusal.ts";
import { DAY_MS, type DayRange, monthOf, REPORT_DAYS, utcDay } from "../organisation/days.ts";

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

/** A query parameter that statements compare with stored texts. */
export const text = (description: string) =>
  z
    .string()
    .refine((given) => !given.includes("\0"), "must not contain a NUL character")
    .optional()
    .meta({ description });

/** The query parameters of the files of a version. Without `limit`, the list is complete, because clients that compare files need them all. */
export const filePage = z.object({
  cursor: text("`nextCursor` of the previous page; absent for the first page."),
  limit: z
    .string()
    .meta({
      description:
        "The maximum number of files of the page. Numbers outside the bounds are clamped. Without it, all files are listed.",
      type: "integer",
      minimum: 1,
      maximum: LIMITS.pageMax.value,
    })
    .optional()
    .transform((limit) => (limit === undefined ? undefined : pageLimit({ limit }))),
});

/** The query parameters of a search: the list contains only entries in which the text `q` occurs. */
export const search = z.object({
  q: text("A text that the entries contain, in any letter case.").transform((q) => q ?? ""),
  ...page.shape,
});

const deleted = z
  .enum(["true", "false"])
  .default("false")
  .meta({ description: "`true` lists the deleted canvases that can be restored instead." })
  .transform((given) => given === "true");

/** The query parameters of a search for canvases of all owners. `deleted` selects the deleted canvases instead of the others. */
export const canvasSearch = z.object({
  ...search.shape,
  deleted,
  show: z
    .enum([...PUBLICATION_STATUSES.map(({ status }) => status), "sharesExpiring"] as CanvasFilter[])
    .optional()
    .meta({
      description: "Only canvases with this `publicationStatus`, or those that expire within seven days.",
    }),
});

/** The query parameters of a search for people. */
export const userSearch = z.object({
  ...search.shape,
  show: z.enum(USER_FILTERS).optional().meta({ description: "Only these people." }),
});

/** The query parameters of a list of canvases. */
export const canvasLists = z.object({
  list: z.enum(CANVAS_LISTS).optional().meta({
    description:
      "`mine`: canvases that the caller owns. `shared`: those of others that are shared with the caller. `organisation`: those that are listed for the caller's organisation. `trash`: deleted ones. By default `mine` and `shared` together.",
  }),
  state: z
    .enum(PUBLICATION_STATUSES.map(({ status }) => status))
    .optional()
    .meta({ description: "Only canvases with this `publicationStatus`." }),
  tag: text("Only canvases with this tag."),
  sort: z.enum(CANVAS_SORTS).optional().meta({
    description:
      "`used`: the last use first. `updated`: the last change first; the default with `list`. `created`: the newest first; the default without. `title`: from A to Z.",
  }),
  ...search.shape,
  cursor: z.string().optional().meta({
    description: "`nextCursor` of the previous page, with the same `sort`; absent for the first page.",
  }),
  deleted,
});

/**
 * Returns which canvases a query asks for. Throws 400 `INVALID_BODY` for a cursor of a list in another order, and for deleted canvases of a
 * list other than the trash.
 */
export function listQueryOf({ deleted, cursor, sort, ...query }: z.output<typeof canvasLists>): ListQuery {
  const { list = null } = query;
  if (deleted && list !== null && list !== "trash")
    refuse("INVALID_BODY", {
      message: "`deleted=true` can only be combined with `list=trash`.",
      field: "list",
    });
  const order = sort ?? (list === null ? "id" : "updated");
  const after = cursor === undefined ? null : parsePosition(order, cursor);
  if (cursor !== undefined && after === null)
    refuse("INVALID_BODY", { message: "`cursor` is not a cursor of this list.", field: "cursor" });
  return { ...query, list: deleted ? "trash" : list, order, after };
}

/** Whether a text is a day that exists. */
const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && utcDay(Date.parse(text)) === text;

const day = (description: string) =>
  z
    .string()
    .refine(isDay, "must be a day such as 2026-01-31")
    .meta({ description, format: "date" })
    .optional();

/** The query parameters of a report. */
export const dayRange = z.object({
  from: day("The first day (UTC); by default that of the month of `to`."),
  to: day("The last day (UTC); by default today."),
});

/**
 * Returns the range of days that a query asks for. Without `to`, the range ends today. Without `from`, it begins on the first day of the
 * month of its last day. Throws 400 `INVALID_BODY` for a range that is empty or longer than 400 days.
 */
export function rangeOf(query: z.output<typeof dayRange>, now: number): DayRange {
  const to = query.to ?? utcDay(now);
  const from = query.from ?? `${monthOf(to)}-01`;
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1 || days > REPORT_DAYS)
    refuse("INVALID_BODY", { message: `\`from\` to \`to\` must be 1 to ${REPORT_DAYS} days.` });
  return { from, to };
}
