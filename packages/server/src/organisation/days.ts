export const DAY_MS = 24 * 60 * 60 * 1000;

/** The largest number of days that a report covers: thirteen months. */
export const REPORT_DAYS = 400;

/** The first and the last day of a report, as `YYYY-MM-DD` in UTC. */
export interface DayRange {
  from: string;
  to: string;
}

/** Returns the day in UTC of a time in epoch milliseconds, such as `2026-01-31`. */
export const utcDay = (time: number): string => new Date(time).toISOString().slice(0, "2026-01-31".length);

/** Returns the month of a day, such as `2026-01`. */
export const monthOf = (day: string): string => day.slice(0, "2026-01".length);
