import { z } from "zod";
import { refuse } from "../http/refusal.ts";
import { DAY_MS, type DayRange, monthOf, REPORT_DAYS, utcDay } from "../organisation/days.ts";

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
