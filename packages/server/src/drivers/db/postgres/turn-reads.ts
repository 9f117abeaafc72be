import { type Derived, keysOf, type Value, valueFor } from "../db.ts";
import { type RowMaker, rowMaker } from "../row-maker.ts";
import { columnsOf, sizeOf } from "./array-values.ts";
import { type Client, ownRows } from "./postgres-client.ts";
import { isRefusal } from "./postgres-errors.ts";
import type { Statement } from "./postgres-statement.ts";
import { CALLS_BYTES, CALLS_MAX, type Gatherer, IN_FLIGHT_MAX, type Turns } from "./turns.ts";

interface Read {
  values: Value[];
  resolve: (row: unknown) => void;
  reject: (error: unknown) => void;
}

/** Reads the first rows of one statement. Calls of one turn are sent as one statement. */
class Reads implements Gatherer {
  readonly #statement: Statement;
  readonly #single: Client;
  readonly #joined: Client;
  readonly #turns: Turns;
  /** The columns of the last answer: the number of the call, and those of the statement. */
  #columns: readonly { name: string }[] = [];
  #toRow: RowMaker | undefined;
  #waiting: Read[] = [];
  /** The reads of this turn for which one row can serve several callers, by their values. */
  #shared = new Map<string, Promise<unknown>>();
  #inFlight = 0;

  constructor(statement: Statement, single: Client, joined: Client, turns: Turns) {
    this.#statement = statement;
    this.#single = single;
    this.#joined = joined;
    this.#turns = turns;
  }

  get(values: Value[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ values, resolve, reject });
      this.#turns.atEnd(this);
    });
  }

  getCached(values: (Value | Derived)[]): Promise<unknown> {
    const key = keysOf(values);
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const found = this.get(values.map(valueFor));
    this.#shared.set(key, found);
    return found;
  }

  flush(): void {
    while (this.#waiting.length > 0) {
      if (!this.#statement.joins) for (const read of this.#take()) void this.#readOne(read);
      else if (this.#inFlight === IN_FLIGHT_MAX) return;
      else void this.#read(this.#take());
    }
  }

  /** Takes as many of the waiting reads as may be sent together. */
  #take(): Read[] {
    // A row is shared only by calls that came before the statement was sent.
    this.#shared.clear();
    let [count, bytes] = [0, 0];
    while (count < this.#waiting.length && count < CALLS_MAX && (count === 0 || bytes < CALLS_BYTES))
      bytes += sizeOf((this.#waiting[count++] as Read).values);
    return this.#waiting.splice(0, count);
  }

  async #read(reads: Read[]): Promise<void> {
    this.#inFlight++;
    await (reads.length === 1 ? this.#readOne(reads[0] as Read) : this.#readAll(reads));
    this.#inFlight--;
    if (this.#waiting.length > 0) this.#turns.atEnd(this);
  }

  async #readOne({ values, resolve, reject }: Read): Promise<void> {
    try {
      const found = await this.#single.unsafe(this.#statement.text, values as never[], { prepare: true });
      this.#statement.learn(found.statement.types);
      resolve(ownRows(found)[0]);
    } catch (error) {
      reject(error);
    }
  }

  async #readAll(reads: Read[]): Promise<void> {
    try {
      for (const [index, row] of (await this.#rows(reads)).entries()) (reads[index] as Read).resolve(row);
    } catch (error) {
      if (!isRefusal(error)) {
        for (const { reject } of reads) reject(error);
        return;
      }
      // One of the calls can have caused the error, which is then its own.
      this.#statement.refused(error.code);
      await Promise.all(reads.map((read) => this.#readOne(read)));
    }
  }

  /** Returns the first row for each read, undefined where there is none. */
  async #rows(reads: Read[]): Promise<unknown[]> {
    const columns = columnsOf(reads.map(({ values }) => values));
    const found = await this.#joined.unsafe(this.#statement.forCalls, columns, { prepare: true }).values();
    this.#columns = found.columns;
    this.#toRow ??= this.#rowMaker();
    const rows: unknown[] = new Array(reads.length);
    for (const values of ownRows(found) as unknown as [call: number, ...unknown[]][])
      rows[values[0] - 1] = this.#toRow(values);
    return rows;
  }

  #rowMaker(): RowMaker {
    const names = this.#columns.slice(1).map(({ name }) => name);
    // The schema has been migrated: a statement with `*` has other columns.
    const changed: RowMaker = (values) => {
      this.#toRow = this.#rowMaker();
      return this.#toRow(values);
    };
    return rowMaker(names, changed, 1);
  }
}

/**
 * Reads first rows. The calls of one turn of the event loop that have the same text are sent as one statement (decision 077). A call that is
 * alone in its turn is sent as it is, through the client `single`.
 */
export class TurnReads {
  readonly #single: Client;
  readonly #joined: Client;
  readonly #turns: Turns;
  readonly #reads = new Map<Statement, Reads>();

  constructor(single: Client, joined: Client, turns: Turns) {
    this.#single = single;
    this.#joined = joined;
    this.#turns = turns;
  }

  get(statement: Statement, values: Value[]): Promise<unknown> {
    return this.#of(statement).get(values);
  }

  /** Does the same, but may return one row to several callers of a turn. */
  getCached(statement: Statement, values: (Value | Derived)[]): Promise<unknown> {
    return this.#of(statement).getCached(values);
  }

  #of(statement: Statement): Reads {
    let reads = this.#reads.get(statement);
    if (reads === undefined) {
      reads = new Reads(statement, this.#single, this.#joined, this.#turns);
      this.#reads.set(statement, reads);
    }
    return reads;
  }
}
