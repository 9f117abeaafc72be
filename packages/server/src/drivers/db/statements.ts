import { constants, type DatabaseSync, type StatementSync } from "node:sqlite";
import { type Derived, keyOf, type SqlText, textOf, type Value } from "./db.ts";
import { type RowMaker, rowMaker } from "./row-maker.ts";

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

/** A prepared statement. `cache` caches the rows that it reads. If the statement writes, all caches in `clears` must be cleared. */
export interface Prepared {
  statement: StatementSync;
  toRow: RowMaker;
  cache: StatementCache;
  clears: Set<StatementCache>[];
}

const WRITING: number[] = [constants.SQLITE_INSERT, constants.SQLITE_UPDATE, constants.SQLITE_DELETE];

/**
 * Prepares each statement text of a connection once. SQLite's authorizer callback reports which tables a statement reads and writes. Node
 * older than 24.10 has no such callback: there, nothing is cached.
 */
export class Statements {
  readonly #connection: DatabaseSync;
  readonly #reportsTables: boolean;
  /** By the text, and by each object whose text it is, so that a text is put together only once. */
  readonly #prepared = new Map<SqlText | string, Prepared>();
  readonly #readers = new Map<string, Set<StatementCache>>();

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
    this.#reportsTables = "setAuthorizer" in connection;
  }

  prepare(text: SqlText): Prepared {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const whole = textOf(text);
    const made = this.#prepared.get(whole) ?? this.#make(whole);
    this.#prepared.set(whole, made);
    this.#prepared.set(text, made);
    return made;
  }

  #make(text: string): Prepared {
    const reads = new Set<string>();
    const writes = new Set<string>();
    if (this.#reportsTables) {
      this.#connection.setAuthorizer((action, table) => {
        if (action === constants.SQLITE_READ) reads.add(table as string);
        if (WRITING.includes(action)) writes.add(table as string);
        return constants.SQLITE_OK;
      });
    }
    const statement = this.#connection.prepare(text);
    if (this.#reportsTables) this.#connection.setAuthorizer(null);
    statement.setReturnArrays(true);
    const columns = () => statement.columns().map(({ name }) => name);
    // Another process has migrated the schema, and SQLite has prepared a statement with `*` again: it has more columns.
    const changed: RowMaker = (values) => {
      made.toRow = rowMaker(columns(), changed);
      return made.toRow(values);
    };
    const made: Prepared = {
      statement,
      toRow: rowMaker(columns(), changed),
      cache: new StatementCache(this.#reportsTables ? undefined : 0),
      clears: [...writes].map((table) => this.#readersOf(table)),
    };
    if (writes.size === 0) for (const table of reads) this.#readersOf(table).add(made.cache);
    return made;
  }

  /** Clears the caches of all statements. Called when another process may have changed any table. */
  clearCaches(): void {
    clearAll(this.#readers.values());
  }

  #readersOf(table: string): Set<StatementCache> {
    const known = this.#readers.get(table) ?? new Set();
    this.#readers.set(table, known);
    return known;
  }
}

/** Clears every cache of these sets. */
export function clearAll(caches: Iterable<Set<StatementCache>>): void {
  for (const each of caches) for (const cache of each) cache.clear();
}
