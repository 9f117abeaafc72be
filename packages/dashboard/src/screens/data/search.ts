/** What the address of the screen keeps: what is shown, and what its part keeps besides. */
export interface DataSearch {
  /** The part that is shown, and the name of what it shows: `collection:ideas`. Without it, the first entry of the list is. */
  show?: string;
  /** The record that is open, or `new`. */
  record?: string;
  /** The filter of records, as the API takes it. */
  where?: object;
  /** The order of records, as the API takes it. */
  order?: string;
  /** The columns that are shown. */
  columns?: string;
  /** What is open of a part other than the records: a key, a submission, a file. */
  item?: string;
  /** How the keys begin that are listed. */
  q?: string;
  /** Which files are listed. */
  of?: string;
}

/** The length at which a text of the address ends, in UTF-16 units. */
const MAX_TEXT = 2_000;

/** Reads the search parameters of an address, which anybody can write. */
export function parseDataSearch(raw: Record<string, unknown>): DataSearch {
  const where = typeof raw.where === "object" && raw.where !== null ? raw.where : undefined;
  return {
    show: textOf(raw.show),
    record: textOf(raw.record),
    where,
    order: textOf(raw.order),
    columns: textOf(raw.columns),
    item: textOf(raw.item),
    q: textOf(raw.q),
    of: textOf(raw.of),
  };
}

/** Returns a parameter as text. The router reads `?show=12` as a number. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  return typeof text === "string" && text !== "" ? text.slice(0, MAX_TEXT) : undefined;
}

/** Returns the part and the name that `show` has in the address. */
export function partsOfShow(show: string): { part: string; name: string } {
  const colon = show.indexOf(":");
  return colon < 0 ? { part: show, name: "" } : { part: show.slice(0, colon), name: show.slice(colon + 1) };
}

/** Returns what `show` is in the address for an entry of a part. The name is empty if the part has one entry. */
export const showOf = (part: string, name: string): string => (name === "" ? part : `${part}:${name}`);
