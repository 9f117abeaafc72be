import { newId } from "../crypto/ids.ts";
import type { BlobSize, Blobs } from "./blobs/blobs.ts";
import { asKeys, type Db, type Optional, optional, type Sql, type SqlText, sql, sqlText } from "./db/db.ts";

/** A database column that holds keys of blobs and has an index. */
export interface BlobColumn {
  table: string;
  column: string;
  /** The SQL condition of the rows that count as references. All rows do by default. */
  where?: string;
  /** The SQL condition of the rows whose blobs are surely stored; the others are about to be stored or removed. By default that of `where`. */
  stored?: string;
}

/** How long a claim stands, in milliseconds: within this time, bytes are stored and the rows that refer to them inserted. */
export const CLAIM_MS = 60 * 60 * 1000;

/** The column of claims. A claim counts as a reference, whatever its age. */
const CLAIMS: BlobColumn = { table: "blob_claims", column: "blob_key" };

/** A blob that has been stored under a claim. The batch that inserts a row with its key must end the claim. */
export interface ClaimedBlob extends BlobSize {
  claim: string;
}

/**
 * Builds the batch step that claims blobs, at least one. Must be durable before their bytes are stored. `claim` is a new id. `now` is the
 * time in epoch milliseconds.
 */
export const claimStep = (claim: string, keys: string[], now: number): Optional => optional`
  insert into blob_claims (id, blob_key, claimed_at)
  select cast(${claim} as text), key, cast(${now} as bigint) from json_each(${asKeys(keys)})`;

/**
 * Builds the step that ends a claim, in the batch that inserts the rows which refer to its blobs. It changes no row, and so rolls back the
 * batch, if the claim no longer stands: the sweep may have removed the bytes.
 */
export const endClaim = (claim: string): Sql => sql`delete from blob_claims where id = ${claim}`;

/**
 * Ends a claim whose upload has failed, so that refused uploads leave no rows in the database. Never rejects: the sweep ends the claims that
 * this cannot end.
 */
export const releaseClaim = (claim: string, { db }: { db: Db }): Promise<unknown> =>
  db.withReserve.run(...endClaim(claim)).catch(() => 0);

/** Stores a stream whose key is not known before, and claims its blob. */
export async function putClaimed(
  source: AsyncIterable<Uint8Array>,
  { db, blobs, clock }: { db: Db; blobs: Blobs; clock: () => number },
): Promise<ClaimedBlob> {
  const claim = newId();
  const blob = await blobs.put(source, {
    claim: async ({ key }) => void (await db.batch([claimStep(claim, [key], clock())])),
  });
  return { ...blob, claim };
}

/** Ends the claims that were made before a time in epoch milliseconds: their uploads have failed or take too long. */
export async function endOldClaims(before: number, db: Db): Promise<void> {
  await db.run`delete from blob_claims where claimed_at <= ${before}`;
}

/** Looks up which blobs rows of the database refer to. */
export class BlobReferences {
  readonly #db: Db;
  readonly #any: SqlText[];
  readonly #among: SqlText;

  constructor(db: Db, columns: readonly BlobColumn[]) {
    this.#db = db;
    this.#any = columns.map(({ table }) => sqlText(`select 1 as used from ${table} limit 1`));
    // Not `exists`, because PostgreSQL might then read all rows of the tables.
    const used = [CLAIMS, ...columns].map(
      ({ table, column, where = "true" }) =>
        `(select 1 from ${table} where ${table}.${column} = json_each.key and ${where} limit 1) is not null`,
    );
    this.#among = sqlText(`select key from json_each(?) where ${used.join("\n  or ")}`);
  }

  /** Whether the database refers to at least one blob. */
  async any(): Promise<boolean> {
    for (const any of this.#any) if ((await this.#db.get(any)) !== undefined) return true;
    return false;
  }

  /**
   * Returns those of the keys to which a row or a claim refers. Reads them in one statement, which sees either a claim or the rows that have
   * taken its place.
   */
  async among(keys: string[]): Promise<Set<string>> {
    const rows = await this.#db.all<{ key: string }>(this.#among, asKeys(keys));
    return new Set(rows.map(({ key }) => key));
  }
}
