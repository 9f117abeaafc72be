import type { Sql } from "../drivers/db/db.ts";
import { refuseScim } from "./scim-error.ts";

/** A condition of a filter: an attribute in lower case, and the value that it must have. */
export interface Filter {
  attribute: string;
  value: string | boolean;
}

/** The most conditions of a filter. */
const MAX_CONDITIONS = 10;

/** The path of an attribute, up to a condition in brackets. */
const PATH = /[\w.:$-]+/y;
const SPACE = /\s*/y;
const EQUALS = /\s+eq\s+/iy;
const AND = /\s+and\s+/iy;
const VALUE = /"(?:[^"\\]|\\.)*"|true\b|false\b/iy;

/** Reads the parts of a filter from left to right. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns what a pattern matches next, and goes on behind it. Null if it does not match. */
  take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found === undefined) return null;
    this.#at += found.length;
    return found;
  }

  /** Goes on behind a character if it is next. */
  skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  get isAtEnd(): boolean {
    this.take(SPACE);
    return this.#at === this.#text.length;
  }
}

const SCHEMA = /^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/;

const attributeOf = (path: string): string => path.toLowerCase().replace(SCHEMA, "");

/** Reads the value of a condition, which is a JSON text or a boolean. Null if there is none. */
function readValue(json: string | null): string | boolean | null {
  try {
    return json === null
      ? null
      : (JSON.parse(json[0] === '"' ? json : json.toLowerCase()) as string | boolean);
  } catch {
    return null;
  }
}

/**
 * Reads conditions that are joined by `and`, up to the end or a closing bracket. `parent` is the attribute before the bracket, such as `emails`,
 * or an empty text. Returns null for anything else.
 */
function conditions(reader: Reader, parent: string): Filter[] | null {
  const found: Filter[] = [];
  do {
    reader.take(SPACE);
    const path = reader.take(PATH);
    if (path === null) return null;
    let attribute = parent === "" ? attributeOf(path) : `${parent}.${attributeOf(path)}`;
    if (parent === "" && reader.skip("[")) {
      const inner = conditions(reader, attribute);
      if (inner === null || !reader.skip("]")) return null;
      found.push(...inner);
      const rest = reader.skip(".") ? reader.take(PATH) : null;
      if (rest === null) continue;
      attribute += `.${attributeOf(rest)}`;
    }
    const value = reader.take(EQUALS) === null ? null : readValue(reader.take(VALUE));
    if (value === null) return null;
    found.push({ attribute, value });
  } while (reader.take(AND) !== null);
  reader.take(SPACE);
  return found;
}

/**
 * Parses the filter of a list: conditions with `eq`, joined by `and`, as `userName eq "ada@acme.test" and active eq true`. Everything else is refused
 * with 400 `invalidFilter`, because a provider would take a list for the answer to its question. `attributes` are those that can be asked for. The
 * type of an address is read, but says nothing.
 */
export function parseFilter(text: string, attributes: readonly string[]): Filter[] {
  const reader = new Reader(text);
  const found = conditions(reader, "")?.filter(({ attribute }) => attribute !== "emails.type") ?? [];
  if (!reader.isAtEnd || found.length === 0 || found.some((each) => !attributes.includes(each.attribute)))
    refuseScim(
      400,
      `Filters are joined by "and", and each is one of: ${attributes.map((each) => `${each} eq "…"`).join(", ")}.`,
      "invalidFilter",
    );
  if (found.length > MAX_CONDITIONS)
    refuseScim(400, `A filter has at most ${MAX_CONDITIONS} conditions.`, "tooMany");
  return found;
}

/** Returns the conditions on rows that a filter stands for. `by` makes one from the value of an attribute. */
export const conditionsOf = (filters: Filter[], by: Record<string, (value: string) => Sql>): Sql[] =>
  filters.flatMap(({ attribute, value }) => {
    const make = by[attribute];
    return make === undefined ? [] : [make(String(value))];
  });

/** Returns the path of an attribute in lower case, without its schema and without the condition on a list, such as `emails.value`. */
export const plainPath = (path: string): string => attributeOf(path.trim()).replace(/\[[^[\]]*\]/, "");
