import { fail } from "../exit.ts";
import { clean } from "./clean.ts";

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
