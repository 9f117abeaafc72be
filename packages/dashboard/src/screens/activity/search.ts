import { lastDays } from "../../kit/days.ts";

/* What the address of the screen keeps. Anybody can write such an address: what it does not know counts as absent. */

export const VIEWS = ["changes", "calls", "use"] as const;
export type View = (typeof VIEWS)[number];

/** The groups of changes that the list can be narrowed to. */
export const GROUPS = ["versions", "sharing", "settings", "backend", "data", "administrators"] as const;
export type Group = (typeof GROUPS)[number];

/** The days that the figures have at first, which end today. */
const USUAL_DAYS = 30;

export interface ActivitySearch {
  /** Absent for `changes`. */
  view?: View;
  /** Only changes of this group. */
  what?: Group;
  /** Only calls with this code, and only those of the person with this id; `anonymous` is nobody. */
  code?: string;
  person?: string;
  /** The row whose details are shown. */
  open?: string;
  /** Whether new calls are shown as they happen. */
  follow?: true;
  /** The first and the last day (UTC) of the figures, such as "2026-01-31". */
  from?: string;
  to?: string;
}

/** The length at which a text of the address ends, in UTF-16 units. */
const MAX_TEXT = 200;

const oneOf = <Value extends string>(values: readonly Value[], value: unknown): Value | undefined =>
  values.find((each) => each === value);

function textOf(value: unknown): string | undefined {
  // The router reads `?code=404` as a number.
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  return typeof text === "string" && text !== "" ? text.slice(0, MAX_TEXT) : undefined;
}

const dayOf = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;

/** Returns the search parameters that are known. The others are undefined, so that the router drops them. */
export function parseActivitySearch(raw: Record<string, unknown>): ActivitySearch {
  const view = oneOf(VIEWS, raw.view);
  return {
    view: view === "changes" ? undefined : view,
    what: oneOf(GROUPS, raw.what),
    code: textOf(raw.code),
    person: textOf(raw.person),
    open: textOf(raw.open),
    follow: raw.follow === true ? true : undefined,
    from: dayOf(raw.from),
    to: dayOf(raw.to),
  };
}

/** Returns the range of days that an address asks for. `now` is in epoch milliseconds. */
export function rangeOf(
  { from, to }: Pick<ActivitySearch, "from" | "to">,
  now: number,
): { from: string; to: string } {
  const usual = lastDays(USUAL_DAYS, to === undefined ? now : Date.parse(to));
  return { from: from ?? usual.from, to: usual.to };
}
