const UNITS: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ["day", 24 * 60 * 60 * 1000],
  ["hour", 60 * 60 * 1000],
  ["minute", 60 * 1000],
  ["second", 1000],
];

const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** Formats a time in epoch milliseconds relative to now, such as `5 minutes ago`. */
export function formatTime(time: number, now = Date.now()): string {
  const distance = time - now;
  for (const [unit, ms] of UNITS) {
    const count = Math.trunc(distance / ms);
    if (count !== 0) return format.format(count, unit);
  }
  return "now";
}
