import { type Db, sqlText } from "./db/db.ts";

/** A database column that holds keys of blobs and has an index. */
export interface BlobColumn {
  table: string;
  column: string;
  /** The SQL condition of the rows that count as references. All rows do by default. */
  where?: string;
}

/** Looks up whether rows of the database refer to blobs. */
export class BlobReferences {
  readonly #db: Db;
  readonly #statements;

  constructor(db: Db, columns: readonly BlobColumn[]) {
    this.#db = db;
    this.#statements = columns.map(({ table, column, where = "true" }) => ({
      any: sqlText(`select 1 as used from ${table} limit 1`),
      to: sqlText(`select 1 as used from ${table} where ${column} = ? and ${where} limit 1`),
    }));
  }

  /** Whether the database refers to at least one blob. */
  async any(): Promise<boolean> {
    for (const { any } of this.#statements) if ((await this.#db.get(any)) !== undefined) return true;
    return false;
  }

  /** Whether a row refers to the blob with this key. */
  async to(key: string): Promise<boolean> {
    for (const { to } of this.#statements) if ((await this.#db.get(to, key)) !== undefined) return true;
    return false;
  }
}
