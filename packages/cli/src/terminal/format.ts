import { fail } from "../exit.ts";
import { clean } from "./clean.ts";

/** Formats a number of things, such as `1 file` or `3 files`. */
export const count = (number: number, thing: string): string =>
  `${number} ${thing}${number === 1 ? "" : "s"}`;

const BYTE_UNITS = ["bytes", "KiB", "MiB", "GiB"];

/** Formats a number of bytes for people, such as `1.4 MiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${BYTE_UNITS[unit]}`;
}

const UNIT_MS: Record<string, number> = {
  s: 1000,
  m: 60 * 1000,
  h: 60 * 60 * 1000,
  d: 24 * 60 * 60 * 1000,
  w: 7 * 24 * 60 * 60 * 1000,
};

/**
 * Parses the time that a flag gives. It is a duration before or after `now`, such as `30m`, `2h` or `7d`, or a date in local time, such as
 * `2026-01-31` or `2026-01-31T12:00`. Returns epoch milliseconds. Throws a usage error for any other text.
 */
export function parseMoment(
  text: string,
  flag: string,
  direction: "past" | "future",
  now = Date.now(),
): number {
  const [, number, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (number !== undefined) {
    const distance = Number(number) * (UNIT_MS[unit] ?? 0);
    return direction === "past" ? now - distance : now + distance;
  }
  // JavaScript parses a date without a time as UTC.
  const isDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})?)?$/.test(text);
  const time = isDate ? new Date(text.length === 10 ? `${text}T00:00` : text).getTime() : Number.NaN;
  if (!Number.isNaN(time)) return time;
  return fail(`${flag} cannot be \`${clean(text)}\`.`, {
    exit: "usage",
    hint: "Give a duration such as 30m, 2h or 7d, or a date such as 2026-01-31.",
  });
}

/** Formats a time in epoch milliseconds for JSON, as in `2026-01-31T12:00:00.000Z`. Null stays null. */
export function isoTime(time: number): string;
export function isoTime(time: number | null): string | null;
export function isoTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

const TIME_UNITS: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
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
  for (const [unit, ms] of TIME_UNITS) {
    const count = distance / ms;
    if (Math.abs(count) >= 1) return format.format(count > 0 ? Math.round(count) : Math.trunc(count), unit);
  }
  return "now";
}
