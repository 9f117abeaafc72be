import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
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
