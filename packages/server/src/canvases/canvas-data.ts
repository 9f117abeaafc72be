import type { BlobColumn } from "../drivers/blob-references.ts";
import type { Db, Sql } from "../drivers/db/db.ts";

/** A table with rows of canvases. */
export interface CanvasTable {
  /** The columns of its primary key, in their order. */
  key: readonly string[];
  /** The SQL condition that selects the rows of one canvas; its only `?` is the canvas's id. `canvas_id = ?` by default. */
  where?: string;
  /** The columns that an export contains; without them the table is not exported. */
  exported?: readonly string[];
}

/** A limit on what a canvas holds, which administrators can change. */
export interface CanvasQuota {
  /** The limit until an administrator sets another. */
  limit: number;
  /**
   * Returns the statement that reads the use by a canvas as column `used`; for a quota per person, the highest use by one person. No row
   * counts as 0.
   */
  used?(canvasId: string): Sql;
}

/**
 * Declares what one part of the service stores of each canvas. Purge, export, usage, quotas and the blob sweep work from the list of these
 * declarations, `Env.canvasData`.
 */
export interface CanvasData {
  /** Every table with rows of canvases except `canvases` itself, by name. A table comes before those that it references. */
  tables: Record<string, CanvasTable>;
  /** The quotas by the names that administrators see, such as `kv.keys.shared`. */
  quotas?: Record<string, CanvasQuota>;
  /** Returns the statement that reads the stored bytes of a canvas as column `bytes`. */
  usage?(canvasId: string): Sql;
  /** The columns that hold keys of blobs. */
  blobs?: BlobColumn | readonly BlobColumn[];
  /** Removes the rows that interrupted removals left. Runs every hour. */
  sweep?(db: Db): Promise<void>;
}

/** Returns every table of a list with its name. */
export const tablesOf = (list: readonly CanvasData[]): [name: string, table: CanvasTable][] =>
  list.flatMap(({ tables }) => Object.entries(tables));

/** Returns every column of a list that holds keys of blobs. */
export const blobColumnsOf = (list: readonly CanvasData[]): BlobColumn[] =>
  list.flatMap(({ blobs }) => blobs ?? []);

/** Returns the SQL condition that selects the rows of one canvas. */
export const rowsOfCanvas = ({ where = "canvas_id = ?" }: CanvasTable): string => where;
