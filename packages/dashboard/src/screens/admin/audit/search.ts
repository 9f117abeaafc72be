import type { AuditFilter } from "../../../api/instance.ts";
import { utcDay } from "../../../kit/days.ts";

/** What the address of the audit log keeps: the filters, and the entry that is open. */
export interface AuditSearch extends AuditFilter {
  entry?: string | undefined;
}

const TEXTS = ["actor", "act", "target", "canvas", "client", "q", "entry"] as const;
const DAYS = ["from", "to"] as const;
const MAX_TEXT = 300;

const textIn = (value: unknown): string | undefined => {
  // The router reads `?q=12` as a number.
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  return typeof text === "string" && text !== "" ? text.slice(0, MAX_TEXT) : undefined;
};

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && utcDay(Date.parse(text)) === text;

const ID = /^[A-Za-z0-9:-]{1,128}$/;

/** Anybody can write an address: what the service would refuse counts as absent. */
export function parseAuditSearch(raw: Record<string, unknown>): AuditSearch {
  const texts = TEXTS.map((name) => [name, textIn(raw[name])] as const);
  const days = DAYS.map((name) => {
    const text = textIn(raw[name]);
    return [name, text !== undefined && isDay(text) ? text : undefined] as const;
  });
  const search: AuditSearch = Object.fromEntries([...texts, ...days]);
  for (const name of ["canvas", "entry"] as const)
    if (search[name] !== undefined && !ID.test(search[name])) search[name] = undefined;
  return search;
}

/** Returns the filters of an address, without the entry that is open. */
export function filterIn({ entry: _, ...filter }: AuditSearch): AuditFilter {
  return filter;
}

/** Whether any filter is set. */
export const isFiltered = (search: AuditSearch): boolean =>
  Object.values(filterIn(search)).some((value) => value !== undefined);
