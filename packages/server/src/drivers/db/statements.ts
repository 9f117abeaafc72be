import { constants, type DatabaseSync, type StatementSync } from "node:sqlite";
import { type RowMaker, rowMaker } from "./row.ts";
import { StatementCache } from "./statement-cache.ts";

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
  readonly #prepared = new WeakMap<TemplateStringsArray, Prepared>();
  readonly #readers = new Map<string, Set<StatementCache>>();

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
    this.#reportsTables = "setAuthorizer" in connection;
  }

  prepare(text: TemplateStringsArray): Prepared {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const reads = new Set<string>();
    const writes = new Set<string>();
    if (this.#reportsTables) {
      this.#connection.setAuthorizer((action, table) => {
        if (action === constants.SQLITE_READ) reads.add(table as string);
        if (WRITING.includes(action)) writes.add(table as string);
        return constants.SQLITE_OK;
      });
    }
    const statement = this.#connection.prepare(text.join("?"));
    if (this.#reportsTables) this.#connection.setAuthorizer(null);
    statement.setReturnArrays(true);
    const made: Prepared = {
      statement,
      toRow: rowMaker(statement.columns().map(({ name }) => name)),
      cache: new StatementCache(this.#reportsTables ? undefined : 0),
      clears: [...writes].map((table) => this.#readersOf(table)),
    };
    if (writes.size === 0) for (const table of reads) this.#readersOf(table).add(made.cache);
    this.#prepared.set(text, made);
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
