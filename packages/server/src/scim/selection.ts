import type { Json } from "@easel/protocol/types";
import { plainPath } from "./filter.ts";

/** Which attributes of resources are sent (RFC 7644, section 3.9). */
export interface Selection {
  /** Whether an attribute is sent, by its name. */
  has(name: string): boolean;
}

/** The attributes that are always sent. */
const ALWAYS = ["schemas", "id"];

/** The most names that count. A resource has fewer attributes. */
const MAX_NAMES = 50;

const namesIn = (list: string | null): Set<string> | null =>
  list === null
    ? null
    : new Set(list.split(",", MAX_NAMES).map((path) => plainPath(path).split(".")[0] ?? ""));

/**
 * Reads `attributes` and `excludedAttributes` of a query. A part of an attribute, such as `name.formatted`, stands for all of it in `attributes`;
 * `excludedAttributes` leaves out whole attributes only.
 */
export function selectionOf(query: URLSearchParams): Selection {
  const only = namesIn(query.get("attributes"));
  const without = new Set(
    (query.get("excludedAttributes") ?? "").split(",", MAX_NAMES).map((path) => plainPath(path)),
  );
  return {
    has: (name) =>
      ALWAYS.includes(name) || ((only?.has(name.toLowerCase()) ?? true) && !without.has(name.toLowerCase())),
  };
}

/** Returns a resource with the attributes that are sent. */
export const selected = (resource: Record<string, Json>, { has }: Selection): Record<string, Json> =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => has(name)));
