import { type Db, type Derived, keysOf, type SqlText, sqlText, textOf, type Value, valueFor } from "../db.ts";

/** A row in memory, with the epochs that it depends on as they were in the snapshot from which the row was read. */
export interface RememberedRow {
  key: string;
  row: unknown;
  epochs: [id: string, epoch: number][];
  /** When the row was read, by `performance.now()`. */
  at: number;
}

/** What a lookup yields: the row, and whether this call has read it or another call that began before. */
interface Lookup {
  found: RememberedRow | undefined;
  own: boolean;
}

/** The maximum number of rows. */
const CAPACITY = 10_000;

/** The longest time for which a row is used without reading it again. Bounds the damage of a change that raises no epoch by mistake. */
const MAX_AGE_MS = 60_000;

/** Returns the statement that also reads the epochs on which the row of a statement depends. */
const withEpochs = (text: SqlText) =>
  sqlText(
    `select found.*, (select json_object_agg(id, coalesce(epoch, 0))
      from unnest(string_to_array(found.depends_on, ',')) as id left join access_epochs using (id)) as epochs
    from (${textOf(text)}) as found`,
  );

/**
 * The rows of a process that calls may use before they compare epochs (`GuardedDb`). Only rows that exist are remembered. Those
 * that were read first are removed first. A row that is used is read again once a minute, so these are not used any more, or hardly.
 */
export class RememberedRows {
  readonly #db: Db;
  readonly #rows = new Map<string, RememberedRow>();
  readonly #reading = new Map<string, Promise<RememberedRow | undefined>>();
  /** For each statement, the start of the keys of its rows, and its text with epochs. */
  readonly #statements = new Map<SqlText, { prefix: string; text: SqlText }>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** Returns a row that is in memory, or reads it once for all who wait for it. */
  lookUp(text: SqlText, values: (Value | Derived)[]): RememberedRow | Promise<Lookup> {
    const statement = this.#statementOf(text);
    const key = statement.prefix + keysOf(values);
    const known = this.#rows.get(key);
    if (known !== undefined && performance.now() - known.at < MAX_AGE_MS) return known;
    const reading = this.#reading.get(key);
    if (reading !== undefined) return reading.then((found) => ({ found, own: false }));
    const read = this.#read(key, statement.text, values).finally(() => this.#reading.delete(key));
    this.#reading.set(key, read);
    return read.then((found) => ({ found, own: true }));
  }

  /** Forgets rows, unless they have been read again meanwhile. */
  forget(rows: Iterable<RememberedRow>): void {
    for (const each of rows) if (this.#rows.get(each.key) === each) this.#rows.delete(each.key);
  }

  async #read(key: string, text: SqlText, values: (Value | Derived)[]): Promise<RememberedRow | undefined> {
    const at = performance.now();
    const found = await this.#db.get<{ epochs: string }>(text, ...values.map(valueFor));
    if (found === undefined) {
      this.#rows.delete(key);
      return undefined;
    }
    const { epochs, ...row } = found;
    const remembered = { key, row, epochs: Object.entries<number>(JSON.parse(epochs)), at };
    this.#rows.delete(key);
    const [oldest] = this.#rows.size >= CAPACITY ? this.#rows.keys() : [];
    if (oldest !== undefined) this.#rows.delete(oldest);
    this.#rows.set(key, remembered);
    return remembered;
  }

  #statementOf(text: SqlText) {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const made = { prefix: `${this.#statements.size}:`, text: withEpochs(text) };
    this.#statements.set(text, made);
    return made;
  }
}
