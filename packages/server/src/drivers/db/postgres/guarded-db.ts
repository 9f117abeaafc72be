import {
  type Db,
  type Dependent,
  type Derived,
  type Head,
  type OptimisticDb,
  type Outcome,
  type Sql,
  type SqlText,
  StaleRows,
  type Step,
  sqlText,
  textOf,
  UpdateOne,
  type Value,
} from "../db.ts";
import type { RememberedRow, RememberedRows } from "./remembered-rows.ts";

/** The code with which the function `fail_stale_rows` of the migrations fails. */
const STALE = "EAS01";

/** A condition: the sum of the epochs with the ids in the first value is the second value. Epochs only grow, so each of them is unchanged. */
const UNCHANGED = `(select coalesce(sum(epoch), 0) from access_epochs where id = any (string_to_array(?, ','))) = cast(? as bigint)`;

/** An expression that is true, or fails the statement. */
const REQUIRE_UNCHANGED = `case when ${UNCHANGED} then true else fail_stale_rows() end`;

/** What `guardedRead` adds to each row. Both are true in a row of the statement; `unchanged` alone, if there is no row. */
interface Compared {
  unchanged: boolean;
  exists_row: boolean | null;
}

/** Returns the statement that reads nothing if the epochs have changed. Comparison and rows are of one snapshot. */
const guardedRead = (text: SqlText) =>
  sqlText(`select compared.unchanged, found.* from (select ${UNCHANGED} as unchanged) as compared
    left join (select true as exists_row, found.* from (${textOf(text)}) as found) as found on compared.unchanged`);

/** Returns the statement that fails if the epochs have changed, and returns the number of changed rows otherwise. */
const guardedRun = (text: SqlText) =>
  sqlText(`with changed as (${textOf(text)} returning 1)
    select ${REQUIRE_UNCHANGED} as unchanged, (select count(*) from changed) as rows`);

/** Returns the statement that fails if the epochs have changed. */
const guardedReturning = (text: SqlText) =>
  sqlText(`with changed as (${textOf(text)})
    select compared.unchanged, found.* from (select ${REQUIRE_UNCHANGED} as unchanged) as compared
    left join (select true as exists_row, changed.* from changed) as found on true`);

/**
 * Returns the update that fails if it finds its row and the epochs have changed. So it remains an update of one row, which others of its turn
 * can join.
 */
const guardedUpdate = ({ parts }: UpdateOne) =>
  new UpdateOne({ ...parts, also: [parts.also, REQUIRE_UNCHANGED].filter(Boolean).join(" and ") });

const VERIFY = sqlText(`select ${UNCHANGED} as unchanged`);
const REQUIRE = sqlText(`select ${REQUIRE_UNCHANGED} as unchanged`);

/** Returns a function that builds each guarded text once. */
function once<Text extends SqlText>(build: (text: Text) => SqlText): (text: Text) => SqlText {
  const built = new Map<Text, SqlText>();
  return (text) => {
    const known = built.get(text);
    if (known !== undefined) return known;
    const made = build(text);
    built.set(text, made);
    return made;
  };
}

const readOf = once(guardedRead);
const runOf = once(guardedRun);
const returningOf = once(guardedReturning);
const updateOf = once(guardedUpdate);

/** Returns the rows of a guarded statement without what the guard has added. @throws StaleRows if the epochs have changed. */
function rowsOf<Row>(found: (Row & Compared)[]): Row[] {
  if (found[0]?.unchanged !== true) throw new StaleRows();
  return found
    .filter(({ exists_row }) => exists_row === true)
    .map(({ unchanged, exists_row, ...row }) => row as Row);
}

/**
 * The database for one call. `getCached` may return a row from memory, which can be stale. The next statement then also compares the epochs
 * of all such rows, and throws `StaleRows` if one has changed. After the first success the rows are known to be current as of that instant,
 * and this is a plain database (decision 078).
 */
export class GuardedDb implements OptimisticDb {
  readonly #db: Db;
  readonly #rows: RememberedRows;
  /** The rows that the call relies on. */
  readonly #used: RememberedRow[] = [];
  #state: "open" | "verified" | "stale" = "open";
  /** The statement that compares. Others wait for it, so that the call can be repeated if it fails. */
  #comparing: Promise<void> | null = null;

  constructor(db: Db, rows: RememberedRows) {
    this.#db = db;
    this.#rows = rows;
  }

  get withReserve(): Db {
    return this;
  }

  /** Is the database of one call already. */
  optimistic(): null {
    return null;
  }

  async getCached<Row extends Dependent>(
    text: SqlText,
    ...values: (Value | Derived)[]
  ): Promise<Readonly<Row> | undefined> {
    for (;;) {
      while (this.#comparing !== null) await this.#comparing;
      if (this.#state === "stale") throw new StaleRows();
      if (this.#state === "verified") return this.#db.getCached<Row>(text, ...values);
      const looked = this.#rows.lookUp(text, values);
      if (!(looked instanceof Promise)) return this.#rely<Row>(looked);
      const { found, own } = await looked;
      if (this.#comparing !== null || this.#state !== "open") continue;
      if (found !== undefined) return this.#rely<Row>(found);
      // Another call may have begun to read before the row existed.
      if (own) return undefined;
    }
  }

  /** Adds a row to those that the next statement compares. @throws StaleRows if two rows disagree on an epoch. */
  #rely<Row>(row: RememberedRow): Readonly<Row> {
    const earlier = this.#used.flatMap(({ epochs }) => epochs);
    this.#used.push(row);
    for (const [id, epoch] of row.epochs)
      if (earlier.some(([known, other]) => known === id && other !== epoch)) this.#fail();
    return row.row as Row;
  }

  #fail(): never {
    this.#state = "stale";
    this.#rows.forget(this.#used);
    throw new StaleRows();
  }

  verify(): Promise<void> | undefined {
    if (this.#isPlain) return undefined;
    return this.#through(
      async () => {},
      async (ids, sum) => {
        const found = await this.#db.get<{ unchanged: boolean }>(VERIFY, ids, sum);
        if (found?.unchanged !== true) throw new StaleRows();
      },
    );
  }

  /** Whether there is nothing to compare. */
  get #isPlain(): boolean {
    return this.#state === "verified" || (this.#state === "open" && this.#used.length === 0);
  }

  /**
   * Runs `guarded` with the values of the comparison if the call relies on rows from memory, otherwise `plain`. `hasCompared` says whether a
   * result of `guarded` proves that the rows are current.
   */
  async #through<Result>(
    plain: () => Promise<Result>,
    guarded: (ids: string, sum: number) => Promise<Result>,
    hasCompared: (result: Result) => boolean = () => true,
  ): Promise<Result> {
    while (this.#comparing !== null) await this.#comparing;
    if (this.#state === "stale") throw new StaleRows();
    if (this.#isPlain) return plain();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#comparing = promise;
    const [ids, sum] = this.#epochs();
    try {
      const result = await guarded(ids, sum);
      if (hasCompared(result)) this.#state = "verified";
      return result;
    } catch (error) {
      if (error instanceof StaleRows || (error as { code?: unknown } | null)?.code === STALE) this.#fail();
      throw error;
    } finally {
      this.#comparing = null;
      resolve();
    }
  }

  /** Returns the ids of the epochs that the rows depend on, and the sum of the epochs. */
  #epochs(): [ids: string, sum: number] {
    let ids = "";
    let sum = 0;
    const counted: string[] = [];
    for (const { epochs } of this.#used)
      for (const [id, epoch] of epochs) {
        if (counted.includes(id)) continue;
        counted.push(id);
        ids += ids === "" ? id : `,${id}`;
        sum += epoch;
      }
    return [ids, sum];
  }

  get<Row>(text: SqlText, ...values: Value[]): Promise<Row | undefined> {
    return this.#through(
      () => this.#db.get<Row>(text, ...values),
      async (...guard) => {
        const found = await this.#db.get<Row & Compared>(readOf(text), ...guard, ...values);
        return rowsOf<Row>(found === undefined ? [] : [found])[0];
      },
    );
  }

  all<Row>(text: SqlText, ...values: Value[]): Promise<Row[]> {
    return this.#through(
      () => this.#db.all<Row>(text, ...values),
      async (...guard) => rowsOf<Row>(await this.#db.all<Row & Compared>(readOf(text), ...guard, ...values)),
    );
  }

  head<Row>(size: number, text: SqlText, ...values: Value[]): Promise<Head<Row>> {
    return this.#through(
      () => this.#db.head<Row>(size, text, ...values),
      async (...guard) => {
        const found = await this.#db.head<Row & Compared>(size, readOf(text), ...guard, ...values);
        return { rows: rowsOf<Row>(found.rows), more: found.more };
      },
    );
  }

  // An update that finds no row compares nothing. The next statement of the call does.
  run(text: SqlText, ...values: Value[]): Promise<number> {
    if (text instanceof UpdateOne)
      return this.#through(
        () => this.#db.run(text, ...values),
        (...guard) => this.#db.run(updateOf(text), ...values, ...guard),
        (changed) => changed > 0,
      );
    return this.#through(
      () => this.#db.run(text, ...values),
      async (...guard) => {
        const [changed] = await this.#db.returning<{ rows: number }>(runOf(text), ...values, ...guard);
        return changed?.rows ?? 0;
      },
    );
  }

  returning<Row>(text: SqlText, ...values: Value[]): Promise<Row[]> {
    if (text instanceof UpdateOne)
      return this.#through(
        () => this.#db.returning<Row>(text, ...values),
        (...guard) => this.#db.returning<Row>(updateOf(text), ...values, ...guard),
        (rows) => rows.length > 0,
      );
    return this.#through(
      () => this.#db.returning<Row>(text, ...values),
      async (...guard) =>
        rowsOf<Row>(await this.#db.returning<Row & Compared>(returningOf(text), ...values, ...guard)),
    );
  }

  batch<Each extends Step<string>>(steps: readonly Each[]): Promise<Outcome<Each>> {
    return this.#through(
      () => this.#db.batch(steps),
      async (...guard) => {
        const compared: Sql = [REQUIRE, ...guard];
        return (await this.#db.batch([{ name: null, statement: compared }, ...steps])) as Outcome<Each>;
      },
    );
  }

  /** Closing the database ends no call. */
  async close(): Promise<void> {
    await this.#db.close();
  }
}
