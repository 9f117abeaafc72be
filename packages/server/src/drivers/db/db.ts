export { Unavailable } from "../unavailable.ts";

/**
 * A value in an SQL statement. Booleans are stored as 0 and 1, and JSON as text. `Uint8Array` values are compared byte by byte, for example
 * in `order by`.
 */
export type Value = string | number | null | Uint8Array;

declare const built: unique symbol;

/** The text of a statement that `sqlText` has built. */
type BuiltText = string & { readonly [built]: true };

/** The parts of an update of one row. Each `?` in them stands for a value, in the order of `set`, `key` and `also`. */
interface UpdateParts {
  table: string;
  set: string;
  /** Equals the columns of the primary key with values. It is the same for all updates of a table. */
  key: string;
  /** Another condition, or none. */
  also?: string;
  /** The columns to return, or none. */
  returning?: string;
}

/** The text of an update of at most one row, which its key finds. A driver may run several such updates of one turn together. */
export class UpdateOne {
  readonly text: string;
  readonly parts: UpdateParts;
  readonly where: string;

  constructor(parts: UpdateParts) {
    const { table, set, key, also, returning } = parts;
    this.parts = parts;
    this.where = also === undefined ? key : `${key} and ${also}`;
    this.text = `update ${table} set ${set} where ${this.where}${returning === undefined ? "" : ` returning ${returning}`}`;
  }
}

/** The text of a statement: the strings of a tagged template, a text that `sqlText` has built, or an update of one row. */
export type SqlText = TemplateStringsArray | BuiltText | UpdateOne;

/** A statement, which is also the arguments of a tagged template: its text and its values. */
export type Sql = [text: SqlText, ...values: Value[]];

/**
 * A parameter of a statement whose value is computed only when the database is queried. `getCached` calls `value` only if the row is not in
 * its cache. In the key of the cache, `from` stands for the value.
 */
export interface Derived {
  from: string;
  value(): Value;
}

/** Computes a derived value. Returns any other value as it is. */
export const valueFor = (value: Value | Derived): Value =>
  typeof value === "object" && value !== null && "from" in value ? value.value() : value;

/**
 * Converts the value of a parameter to a key of a `Map`. Bytes become a string, because a `Map` compares objects by identity. The string
 * cannot be confused with a text value, because a parameter of a statement always has the same type.
 */
export function keyOf(value: Value | Derived): Value {
  if (typeof value !== "object" || value === null) return value;
  if ("from" in value) return value.from;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1");
}

/** Returns a text that is the same for equal values of the same parameters, and different for others. */
export const keysOf = (values: readonly (Value | Derived)[]): string => values.map(lengthAndKey).join("");

/** Returns the key of a value with its length, so that the texts of several values cannot be confused. */
function lengthAndKey(value: Value | Derived): string {
  const key = keyOf(value);
  if (key === null) return "null";
  const text = String(key);
  return `${text.length}:${text}`;
}

/** A template tag that returns a statement for `batch`. */
export const sql = (...statement: Sql): Sql => statement;

/** Builds the text of a statement from parts, in which each `?` stands for a value. What callers send must never be a part. */
export const sqlText = (...parts: string[]): BuiltText => parts.join("\n") as BuiltText;

/** Returns the text of a statement with a `?` for each value. */
export function textOf(text: SqlText): string {
  if (typeof text === "string") return text;
  return text instanceof UpdateOne ? text.text : text.join("?");
}

/** Joins parts of a statement, each with its values. */
export const joined = (parts: readonly Sql[]): Sql => [
  sqlText(...parts.map(([text]) => textOf(text))),
  ...parts.flatMap(([, ...values]) => values),
];

/** A statement of a batch with a name, which is the outcome of the batch if the statement changes no row. Null: it need not change any. */
export interface NamedStep<Name extends string | null> {
  name: Name;
  statement: Sql;
}

/** A statement of a batch that need not change a row. */
export type Optional = NamedStep<null>;

/** Names a statement of a batch. The name is the outcome of the batch if the statement changes no row. */
export const step = <Name extends string>(name: Name, statement: Sql): NamedStep<Name> => ({
  name,
  statement,
});

/** A template tag that returns a statement for `batch`. The batch is not rolled back if the statement changes no row. */
export const optional = (...statement: Sql): Optional => ({ name: null, statement });

/**
 * Converts texts to a JSON object whose keys are the texts. A statement can use it as a list: `where path in (select key from
 * json_each(${asKeys(paths)}))`. The texts must not contain NUL or lone surrogates.
 */
export const asKeys = (texts: string[]): string =>
  `{${[...new Set(texts)].map((text) => `${JSON.stringify(text)}:1`).join(",")}}`;

/** A statement of a batch. The batch is rolled back if a step that is not `optional` changes no row. `Name` are the names of its `step`s. */
export type Step<Name extends string = never> = Sql | NamedStep<Name | null>;

/**
 * The outcome of a batch: "done" if it was committed. Otherwise it was rolled back, and the outcome is the name of the first step that changed
 * no row, or "unchanged" if that step has no name.
 */
export type Outcome<Each> = "done" | (Each extends { name: infer Name } ? Exclude<Name, null> : "unchanged");

/** Returns the statement of a step. */
export const statementOf = (each: Step<string>): Sql => ("name" in each ? each.statement : each);

/** Returns the outcome of a batch in which a step changes no row. Null: the batch goes on. */
export const nameOf = (each: Step<string>): string | null => ("name" in each ? each.name : "unchanged");

/** The first rows of a result, and whether more follow. */
export interface Head<Row> {
  rows: Row[];
  more: boolean;
}

/** Thrown by a database of one call when a row from memory, on which the call relies, has changed. The call is to be repeated. */
export class StaleRows extends Error {}

/**
 * A row that a driver may remember. `depends_on` has the ids of the epochs that each change of the row raises, separated by commas, such as
 * `person 01j…,instance` (`migrations/postgres/0042_access_epochs.sql`).
 */
export interface Dependent {
  depends_on: string;
}

/**
 * Runs SQL that SQLite and PostgreSQL both understand. The promise of a write resolves when the write is durable, and every later read sees
 * it. The reads of one turn of the event loop may share a snapshot, which is taken at the first of these reads.
 */
export interface Db {
  /**
   * Returns the first row, or undefined if there is none. A driver may send the calls of one turn as one statement, which takes as long as all
   * of them. So a statement that may read many rows, such as a count, belongs to `all`.
   */
  get<Row>(...statement: Sql): Promise<Row | undefined>;
  /**
   * Returns the first row, like `get`, for statements whose result rarely changes. A driver may return the row from memory as long as no
   * table that the statement reads has changed, so the row is never stale. Callers must not modify the row.
   */
  getCached<Row extends Dependent>(
    text: SqlText,
    ...values: (Value | Derived)[]
  ): Promise<Readonly<Row> | undefined>;
  /** Returns all rows. */
  all<Row>(...statement: Sql): Promise<Row[]>;
  /**
   * Returns as many of the first rows as fit into `size`, but at least one row if there is any. The size of a row is about the total length
   * of its texts and bytes. Further rows are not read into memory.
   */
  head<Row>(size: number, ...statement: Sql): Promise<Head<Row>>;
  /** Runs a write. Returns the number of rows that it changed. */
  run(...statement: Sql): Promise<number>;
  /** Runs a write with a `returning` clause. Returns its rows. */
  returning<Row>(...statement: Sql): Promise<Row[]>;
  /**
   * Runs writes in one transaction. If a step that is not `optional` changes no row, rolls back the transaction and returns the name of the
   * step. Otherwise returns "done".
   */
  batch<Each extends Step<string>>(steps: readonly Each[]): Promise<Outcome<Each>>;
  /**
   * The same database for writes that must go on while less than the disk reserve is free: those of sign-in and sessions, of the audit log,
   * those that free space or end somebody's access, and the settings of administrators. All other writes then throw an error for which `isFull` is true. Such writes must be
   * small: nothing but rate limits bounds how much of the reserve they use.
   */
  readonly withReserve: Db;
  /**
   * Returns a database for one call, which may take rows of `getCached` from memory and finds out with the next statement whether they are
   * current. Null if this driver has no use for that.
   */
  optimistic(): OptimisticDb | null;
  /** Waits for the pending writes, then closes the database. */
  close(): Promise<void>;
}

/** The database for one call. A statement throws `StaleRows` if a row from memory, on which the call relies, has changed. */
export interface OptimisticDb extends Db {
  /**
   * Makes sure that the rows from memory on which the call relies are current. Undefined if that is known already.
   *
   * @throws StaleRows if one is not.
   */
  verify(): Promise<void> | undefined;
}

/** The part of a database driver that migrations use. */
export interface Schema {
  /** The folder of the migrations that only this engine has. */
  readonly engine: "sqlite" | "postgres";
  /** Runs `work` in one transaction, on one node at a time. */
  exclusively(work: (tables: Tables) => Promise<void>): Promise<void>;
}

/** Runs statements inside the transaction of `exclusively`. */
export interface Tables {
  /** Runs a text that contains any number of statements. */
  exec(text: string): Promise<void>;
  run(...statement: Sql): Promise<unknown>;
  all<Row>(...statement: Sql): Promise<Row[]>;
}

/** A node that runs, and the name of the last migration that it knows. `place` is a part of messages. */
export interface RunningNode {
  place: string;
  schema: string;
}

/** Returns a pattern for `lower(…) like … escape '!'` that matches texts containing `text`, ignoring case. */
export const containing = (text: string): string => `%${text.toLowerCase().replace(/[%_!]/g, "!$&")}%`;
