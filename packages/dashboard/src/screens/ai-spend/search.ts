import { utcDay } from "../../kit/days.ts";

/** What the address of the AI spend keeps: the first and the last day (UTC). Absent for the current month. */
export interface SpendSearch {
  from?: string | undefined;
  to?: string | undefined;
  /** The list that is shown whole. */
  all?: string | undefined;
}

/** Returns a day that exists, as in "2026-01-31", or undefined. */
const dayIn = (value: unknown): string | undefined =>
  typeof value === "string" &&
  /^\d{4}-\d\d-\d\d$/.test(value) &&
  !Number.isNaN(Date.parse(value)) &&
  utcDay(Date.parse(value)) === value
    ? value
    : undefined;

/** Anybody can write an address: what is no day counts as absent, and so does a range that ends before it begins. */
export function parseSpendSearch(raw: Record<string, unknown>): SpendSearch {
  const [from, to] = [dayIn(raw.from), dayIn(raw.to)];
  const all = ["people", "canvases", "models"].find((list) => list === raw.all);
  if (from !== undefined && to !== undefined && from > to) return { from: undefined, to: undefined, all };
  return { from, to, all };
}

/** The ranges that are offered, by their names in a list. `now` is in epoch milliseconds. */
export const RANGES: readonly { value: string; label: string; rangeOf: (now: number) => SpendSearch }[] = [
  { value: "month", label: "This month", rangeOf: () => ({}) },
  {
    value: "last",
    label: "Last month",
    rangeOf(now) {
      const date = new Date(now);
      const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1, 1);
      const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 0);
      return { from: utcDay(first), to: utcDay(end) };
    },
  },
  ...[30, 90, 365].map((days) => ({
    value: `${days}`,
    label: days === 365 ? "12 months" : `${days} days`,
    rangeOf: (now: number) => ({ from: utcDay(now - (days - 1) * 86_400_000), to: utcDay(now) }),
  })),
];

/** Returns the name of the offered range that an address has, or "own" for another one. */
export function rangeIn({ from, to }: SpendSearch, now: number): string {
  const found = RANGES.find(({ rangeOf }) => {
    const range = rangeOf(now);
    return range.from === from && range.to === to;
  });
  return found?.value ?? "own";
}
