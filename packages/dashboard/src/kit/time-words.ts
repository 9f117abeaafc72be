const UNITS: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const short = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });

/** Returns a time in words, such as "3 hours ago" or "in 2 days". Both are epoch milliseconds. */
export function agoOf(at: number, now = Date.now()): string {
  const distance = at - now;
  const [unit, ms] = UNITS.find(([, ms]) => Math.abs(distance) >= ms) ?? [];
  return unit === undefined || ms === undefined
    ? "just now"
    : relative.format(Math.round(distance / ms), unit);
}

/** Returns a day in words, such as "7 Jan 2026". */
export const dayOf = (at: number): string => short.format(at);
