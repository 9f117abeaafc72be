import type { Derived, Value } from "./db.ts";

type Level = Map<Value, unknown>;

const MOST = 10_000;

/** What one statement has found, by its values: good for as long as nobody changes a table that it reads. */
export class Memo {
  #found: Level = new Map();
  #size = 0;

  /** What is known for these values; asks `find` when it is not. A row that is given out twice must not be changed. */
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
    if (++this.#size > MOST) this.clear();
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

/** Maps tell objects apart by identity, so bytes go by the text of the same bytes; a place in a statement has one type only. */
function keyOf(value: Value | Derived): Value {
  if (typeof value !== "object" || value === null) return value;
  if ("from" in value) return value.from;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1");
}
