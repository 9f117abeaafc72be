const DAY_MS = 86_400_000;

/** The most days that `daysBetween` returns. The reports of the service have at most 400. */
const MAX_DAYS = 400;

const named = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const withYear = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** Returns the day (UTC) of a time in epoch milliseconds, such as "2026-01-07". */
export const utcDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Returns the first and the last one of some days that end with that of a time in epoch milliseconds. */
export const lastDays = (count: number, at: number): { from: string; to: string } => ({
  from: utcDay(at - (count - 1) * DAY_MS),
  to: utcDay(at),
});

/** Returns the days from the first to the last one, both included, such as "2026-01-07". At most 400: the first ones. */
export function daysBetween(from: string, to: string): string[] {
  const first = Date.parse(from);
  const count = Math.min((Date.parse(to) - first) / DAY_MS + 1, MAX_DAYS);
  return Array.from({ length: Math.max(count, 0) || 0 }, (_, index) => utcDay(first + index * DAY_MS));
}

/** Returns a day such as "2026-01-07" in words, "7 Jan" or, with the year, "7 Jan 2026". */
export const dayName = (day: string, year = false): string =>
  (year ? withYear : named).format(Date.parse(day));
