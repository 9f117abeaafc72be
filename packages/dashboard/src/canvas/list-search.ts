/* What the address of the list of canvases keeps. Anybody can write such an address: what it does not know counts as absent. */

export const LISTS = ["mine", "shared", "organisation", "trash"] as const;
export const STATES = ["published", "draft", "unpublished", "archived", "expired", "disabled"] as const;
export const SORTS = ["updated", "used", "created", "title"] as const;

export type ListName = (typeof LISTS)[number];

export interface ListSearch {
  /** Absent for `mine`. */
  list?: ListName;
  /** A text that titles and slugs contain. */
  q?: string;
  state?: (typeof STATES)[number];
  tag?: string;
  /** Absent for `updated`. */
  sort?: (typeof SORTS)[number];
}

/** The length at which a text to search for ends, in UTF-16 units. The service refuses longer ones. */
const MAX_TEXT = 200;

const oneOf = <Value extends string>(values: readonly Value[], value: unknown): Value | undefined =>
  values.find((each) => each === value);

function textOf(value: unknown): string | undefined {
  // The router reads `?q=12` as a number.
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  return typeof text === "string" && text !== "" ? text.slice(0, MAX_TEXT) : undefined;
}

/**
 * Returns the search parameters that are known. One with its default value is undefined, and so is one that is not known: otherwise the router
 * would keep what is in the address.
 */
export function parseListSearch(raw: Record<string, unknown>): ListSearch {
  const [list, sort] = [oneOf(LISTS, raw.list), oneOf(SORTS, raw.sort)];
  return {
    list: list === "mine" ? undefined : list,
    q: textOf(raw.q),
    state: oneOf(STATES, raw.state),
    tag: textOf(raw.tag),
    sort: sort === "updated" ? undefined : sort,
  };
}
