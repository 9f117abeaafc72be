import { utcDay } from "../../../kit/days.ts";
import type { SpendSearch } from "./search.ts";

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
