import type { BlobColumn } from "./blob-references.ts";

/** What a copy of a database holds. */
export interface CopiedState {
  /** The id of the instance; null if the database has none yet. */
  instance: string | null;
  /** The names of its migrations, in order. */
  migrations: string[];
  /** The number of rows of each table. */
  tables: Record<string, number>;
  /** The keys of the blobs that its rows refer to, in order. */
  blobs: string[];
}

/** Copies a database into a file of a backup. There is one for each engine. */
export interface DatabaseBackups {
  readonly engine: Engine;
  /** The bytes that a copy may need; null if that is not known. @throws SetupError if there is no database. */
  size(): Promise<number | null>;
  /** Copies one state of the database into a new file, durably, while others write. Returns what the copy holds. */
  copy(to: string, columns: readonly BlobColumn[]): Promise<CopiedState>;
}

/** The engine of a database. */
export type Engine = "sqlite" | "postgres";

/**
 * Reads a copy, and checks it as far as that is possible without a server. Returns what it holds, or null if only a server could tell. Adds
 * what is wrong, in words, to `faults`.
 */
export type CheckCopy = (
  file: string,
  columns: readonly BlobColumn[],
  faults: string[],
) => Promise<CopiedState | null>;

/** Returns a query for each column of keys of blobs in the tables that a copy has. */
export const keysIn = (tables: readonly string[], columns: readonly BlobColumn[]): string[] =>
  columns
    .filter(({ table }) => tables.includes(table))
    .map(
      ({ table, column, where = "true", stored = where }) =>
        `select ${column} as key from ${table} where ${column} is not null and ${stored}`,
    );

/** When a backup that is restored was made, and until when unused blobs are kept, in epoch milliseconds. */
export interface RestoredTimes {
  takenAt: number;
  holdUntil: number;
}

/**
 * Returns the statements that prepare a restored database, each if it has their table: the processes of its time have ended, unused blobs are
 * kept, and the backup itself is the last one, which was made after its copy of the database.
 */
export const preparations = (
  has: (table: string) => boolean,
  { takenAt, holdUntil }: RestoredTimes,
): string[] =>
  [
    { table: "leases", statement: "update leases set leased_until = 0" },
    {
      table: "sweep_guard",
      statement: `insert into sweep_guard (singleton, ticks, held_until) values (1, 0, ${holdUntil})
        on conflict (singleton) do update set held_until = excluded.held_until`,
    },
    {
      table: "last_backup",
      statement: `insert into last_backup (singleton, finished_at) values (1, ${takenAt})
        on conflict (singleton) do update set finished_at = excluded.finished_at`,
    },
  ].flatMap(({ table, statement }) => (has(table) ? [statement] : []));
