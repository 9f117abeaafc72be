import type { Config } from "../config/config.ts";
import type { BlobColumn } from "../drivers/blob-references.ts";
import type { Blobs } from "../drivers/blobs/blobs.ts";
import type { Db, Sql, Value } from "../drivers/db/db.ts";

/** The part of `Env` with which rows, and what they stand for, are removed. */
export interface Removing {
  db: Db;
  blobs: Blobs;
  canvasData: readonly CanvasData[];
  clock(): number;
}

/** A table in which every row belongs to a canvas. */
export interface CanvasTable {
  /** The columns of the table's primary key, in their order. */
  key: readonly string[];
  /** The SQL condition that selects the rows of one canvas; its only `?` is the canvas's id. `canvas_id = ?` by default. */
  where?: string;
  /** Removes the rows of a canvas that is purged, in small batches, with what they stand for. By default, only the rows are removed. */
  remove?(canvasId: string, stores: Removing): Promise<void>;
}

/** A limit on something that a canvas stores, such as its number of keys. Administrators can change the limit. */
export interface CanvasQuota {
  /** The limit that applies until an administrator sets another one. */
  limit: number;
  /**
   * Returns the statement that reads how much a canvas uses of the quota, as column `used`. For a quota per person, this is the highest use
   * by one person. If the statement returns no row, the use is 0.
   */
  used?(canvasId: string): Sql;
}

/** Something that a part of the service removes by itself, every hour, on one process of the instance. */
export interface CleanUp {
  /** What is removed, for the log. */
  what: string;
  /** For how long it is kept after it has ended, in milliseconds; null: for ever. A function reads it from the settings. */
  keptMs: number | ((config: Config) => number | null);
  /** Removes what had ended by `until`, in epoch milliseconds. */
  remove(until: number, stores: Removing): Promise<unknown>;
}

/**
 * How the rows of a table belong to people, or name them: what an export of a person contains of them, and what the erasure of the person does.
 * An id stands for "Deleted person" afterwards, so that rows can stay under it.
 */
export interface PersonalTable {
  /** The columns with the id of a person. */
  ids?: readonly string[];
  /** The columns with the e-mail address of a person. */
  emails?: readonly string[];
  /** The column of the time of a row, in epoch milliseconds, where rows stay with an address that somebody else has later. */
  at?: string;
  /** A condition that all rows of people meet, if their index has it. */
  where?: string;
  /** Whether the rows of the person go, or stay: under the id, or as `organisation/erasure.ts` says where they have addresses. */
  erased: "removed" | "kept";
  /** The part of an export with these rows; null if they say nothing about the person that other rows do not, or are secrets. */
  exported: ExportedRows | null;
}

/** A row of a table with rows of people. */
export type PersonalRow = Record<string, Value>;

/** What an export has of rows in which a certain column names the person. */
export interface RowView {
  columns: readonly string[];
  /** Returns what is shown of a row. By default all of these columns. */
  shown?(row: PersonalRow): PersonalRow;
}

/** What an export of a person has of a table. */
interface ExportedRows {
  /** The name of the part, which is that of its file. */
  part: string;
  columns: readonly string[];
  /** The columns by which the rows of the person are sorted, and which are unique among them. */
  order: readonly string[];
  /** What the export has, in place of `columns`, of rows that are found by one of the columns above. */
  views?: Record<string, RowView>;
  /** The column with the key of a blob, whose bytes are exported, too. */
  blob?: string;
}

/**
 * Declares what one part of the service stores, above all for each canvas, and what it removes by itself. `Env.canvasData` lists the declarations of all
 * parts. Purges, reports of usage, quotas and the sweep rely on this list.
 */
export interface CanvasData {
  /** Every table in which rows belong to canvases, by its name, except `canvases` itself. A table comes before those that it references. */
  tables?: Record<string, CanvasTable>;
  /** The other tables, whose rows belong to no canvas. */
  otherTables?: readonly string[];
  /** Which of these tables have rows of people, by their names. */
  people?: Record<string, PersonalTable>;
  /** The quotas by the names that administrators see, such as `kv.keys.shared`. */
  quotas?: Record<string, CanvasQuota>;
  /** Returns the statement that reads the number of bytes that are stored for a canvas, as column `bytes`. */
  usage?(canvasId: string): Sql;
  /**
   * Removes what still counts in the quotas of an owner although it has been removed. `owner` is the SQL expression of their id. Returns whether
   * there was anything.
   */
  makeRoom?(owner: Sql, stores: Removing): Promise<boolean>;
  /** The columns that hold keys of blobs. */
  blobs?: BlobColumn | readonly BlobColumn[];
  cleanUps?: readonly CleanUp[];
}

/** Returns the clean-ups of a list of declarations with these settings, each with the time for which it keeps what it removes. */
export const cleanUpsOf = (
  list: readonly CanvasData[],
  config: Config,
): (Omit<CleanUp, "keptMs"> & { keptMs: number })[] =>
  list.flatMap(({ cleanUps = [] }) =>
    cleanUps.flatMap((each) => {
      const keptMs = typeof each.keptMs === "function" ? each.keptMs(config) : each.keptMs;
      return keptMs === null ? [] : [{ ...each, keptMs }];
    }),
  );

/** Returns every table, with its name, from a list of declarations. */
export const tablesOf = (list: readonly CanvasData[]): [name: string, table: CanvasTable][] =>
  list.flatMap(({ tables = {} }) => Object.entries(tables));

/** Returns every table that has rows of people, with its name, from a list of declarations. */
export const personalTablesOf = (list: readonly CanvasData[]): [name: string, table: PersonalTable][] =>
  list.flatMap(({ people = {} }) => Object.entries(people));

/** Returns every column that holds keys of blobs, from a list of declarations. */
export const blobColumnsOf = (list: readonly CanvasData[]): BlobColumn[] =>
  list.flatMap(({ blobs }) => blobs ?? []);

/** Returns the SQL condition that selects the rows of one canvas. */
export const rowsOfCanvas = ({ where = "canvas_id = ?" }: CanvasTable): string => where;
