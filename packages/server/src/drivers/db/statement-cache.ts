import type { Derived, Value } from "./db.ts";

type Level = Map<Value, unknown>;

const MAX_ROWS = 10_000;

/** Caches the rows of one statement by the values of its parameters. `clear` is called when a table that the statement reads changes. */
export class StatementCache {
  #found: Level = new Map();
  #size = 0;
  readonly #capacity;

  /** `capacity` is the maximum number of rows; with 0, nothing is cached. */
  constructor(capacity = MAX_ROWS) {
    this.#capacity = capacity;
  }

  /** Returns the cached row for these values, or calls `find` and caches its result. Rows are frozen. */
  getCached(values: (Value | Derived)[], find: () => unknown): unknown {
    const last = values.length - 1;
    let level = this.#found;
    for (let index = 0; index < last; index++) {
      const key = keyOf(values[index] as Value | Derived);
      let next = level.get(key) as Level | undefined;
      if (next === undefined) {
        next = new Map();
        level.set(key, next);
      }
      level = next;
    }
    const key = keyOf(values[last] as Value | Derived);
    const known = level.get(key);
    if (known !== undefined || level.has(key)) return known;
    if (++this.#size > this.#capacity) this.clear();
    const found = Object.freeze(find());
    level.set(key, found);
    return found;
  }

  clear(): void {
    if (this.#size === 0) return;
    this.#found = new Map();
    this.#size = 0;
  }
}

/**
 * Converts the value of a parameter to a key of a `Map`. Bytes become a string, because a `Map` compares objects by identity. The string
 * cannot be confused with a text value, because a parameter of a statement always has the same type.
 */
function keyOf(value: Value | Derived): Value {
  if (typeof value !== "object" || value === null) return value;
  if ("from" in value) return value.from;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1");
}
