import { utcDay } from "../../../kit/days.ts";

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
