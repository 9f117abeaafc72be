const UNITS: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ["day", 24 * 60 * 60 * 1000],
  ["hour", 60 * 60 * 1000],
  ["minute", 60 * 1000],
  ["second", 1000],
];

const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/**
 * Formats a time in epoch milliseconds relative to now, such as `5 minutes ago` or `in 90 days`. Rounds a future time, so that a token for
 * 90 days does not end in 89.
 */
export function formatTime(time: number, now = Date.now()): string {
  const distance = time - now;
  for (const [unit, ms] of UNITS) {
    const count = distance / ms;
    if (Math.abs(count) >= 1) return format.format(count > 0 ? Math.round(count) : Math.trunc(count), unit);
  }
  return "now";
}
