/** What a statement may carry: booleans are 0 and 1, JSON is text, bytes compare as bytes. */
export type Value = string | number | null | Uint8Array;

/** One statement with its values, as a tagged template gives them. */
export type Sql = [text: TemplateStringsArray, ...values: Value[]];

/** A value that takes work to know, done only when the database is really asked; `from` stands for it alone. */
export interface Derived {
  from: string;
  value(): Value;
}

/** The value itself. */
export const valueFor = (value: Value | Derived): Value =>
  typeof value === "object" && value !== null && "from" in value ? value.value() : value;

/** A statement to hand to `batch`. */
export const sql = (...statement: Sql): Sql => statement;

/**
 * The text of a statement that is put together from parts, in which each `?` is a value. Make it once: drivers prepare a text once
 * as long as it is the same object.
 */
export function statementText(...parts: string[]): TemplateStringsArray {
  const strings = parts.join("\n").split("?");
  return Object.assign(strings, { raw: strings });
}

/** A statement of a batch that may as well change nothing. */
export const optional = (...statement: Sql): { optional: Sql } => ({ optional: statement });

/** Any number of texts as one value: `select key from json_each(${asKeys(texts)})` gives them back as rows, each once. No NUL, no lone surrogate. */
export const asKeys = (texts: string[]): string =>
  JSON.stringify(Object.fromEntries(texts.map((text) => [text, 1])));

/** What a batch is made of. */
export type Step = Sql | { optional: Sql };

/** The beginning of what a read finds, and whether more rows follow. */
export interface Head<Row> {
  rows: Row[];
  more: boolean;
}

/**
 * Thrown when the database cannot be reached or is locked for too long. A read may be asked again. A write that was rejected with it
 * may have happened all the same, unless the driver says otherwise: it is never repeated by itself.
 */
export class Unavailable extends Error {}

/**
 * SQL that SQLite and PostgreSQL read alike. A promise of a write resolves when the write is durable, and every read after
 * that sees it. Reads of one turn of the event loop may share a snapshot taken at its first.
 */
export interface Db {
  /** The first row, or undefined. */
  get<Row>(...statement: Sql): Promise<Row | undefined>;
  /**
   * The same for a row that is read far more often than it changes: a driver may answer from memory where it knows that no
   * table of the statement has changed since. Never an old row; never to be changed.
   */
  getCached<Row>(
    text: TemplateStringsArray,
    ...values: (Value | Derived)[]
  ): Promise<Readonly<Row> | undefined>;
  /** All rows. */
  all<Row>(...statement: Sql): Promise<Row[]>;
  /**
   * The first rows, as long as their texts and bytes are at most `size` long together; always one row if there is one. The rest is
   * not read into memory.
   */
  head<Row>(size: number, ...statement: Sql): Promise<Head<Row>>;
  /** A write; answers how many rows it changed. */
  run(...statement: Sql): Promise<number>;
  /** A write with a `returning` clause; answers its rows. */
  returning<Row>(...statement: Sql): Promise<Row[]>;
  /**
   * Writes that stand or fall together: the first one to change no row, unless it is `optional`, undoes them all.
   * Answers how many rows each changed that came before that one: as many figures as steps when the batch was kept.
   */
  batch(steps: Step[]): Promise<number[]>;
  /** Ends after the writes under way. */
  close(): Promise<void>;
}

/** What a driver lends to the migrations. */
export interface Schema {
  /** Runs `work` in one transaction that excludes every other node doing the same. */
  exclusively(work: (tables: Tables) => Promise<void>): Promise<void>;
}

/** The inside of a schema transaction. */
export interface Tables {
  /** Runs any number of statements. */
  exec(text: string): Promise<void>;
  run(...statement: Sql): Promise<unknown>;
  all<Row>(...statement: Sql): Promise<Row[]>;
}

/** A pattern for `lower(…) like … escape '!'` that matches text which contains `text`, in any case. */
export const containing = (text: string): string => `%${text.toLowerCase().replace(/[%_!]/g, "!$&")}%`;
