import { constants, type DatabaseSync, type StatementSync } from "node:sqlite";
import { Memo } from "./cache.ts";
import { type RowMaker, rowMaker } from "./row.ts";

/** A prepared statement, what makes its rows, what it remembers, and whose memory it makes void. */
export interface Prepared {
  statement: StatementSync;
  toRow: RowMaker;
  memo: Memo;
  voids: Set<Memo>[];
}

const WRITING: number[] = [constants.SQLITE_INSERT, constants.SQLITE_UPDATE, constants.SQLITE_DELETE];

/** The statements of a connection: each template is prepared once, and the engine itself says which tables it touches. */
export class Statements {
  readonly #connection: DatabaseSync;
  readonly #prepared = new WeakMap<TemplateStringsArray, Prepared>();
  readonly #readers = new Map<string, Set<Memo>>();

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  prepare(text: TemplateStringsArray): Prepared {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const reads = new Set<string>();
    const writes = new Set<string>();
    this.#connection.setAuthorizer((action, table) => {
      if (action === constants.SQLITE_READ) reads.add(table as string);
      if (WRITING.includes(action)) writes.add(table as string);
      return constants.SQLITE_OK;
    });
    const statement = this.#connection.prepare(text.join("?"));
    this.#connection.setAuthorizer(null);
    statement.setReturnArrays(true);
    const made: Prepared = {
      statement,
      toRow: rowMaker(statement.columns().map(({ name }) => name)),
      memo: new Memo(),
      voids: [...writes].map((table) => this.#readersOf(table)),
    };
    if (writes.size === 0) for (const table of reads) this.#readersOf(table).add(made.memo);
    this.#prepared.set(text, made);
    return made;
  }

  /** Empties every memory: any table may have changed. */
  forget(): void {
    voidAll(this.#readers.values());
  }

  #readersOf(table: string): Set<Memo> {
    const known = this.#readers.get(table) ?? new Set();
    this.#readers.set(table, known);
    return known;
  }
}

/** Empties these memories. */
export function voidAll(memories: Iterable<Set<Memo>>): void {
  for (const each of memories) for (const memo of each) memo.clear();
}
