import { type Optional, optional, type Sql, sql } from "../drivers/db/db.ts";

/**
 * What the parts of bundles count in the quota `bundles.bytes.person`, besides the bytes of their contents. The numbers are at least what
 * the parts take on a disk and in the database, with its indexes. Migration 0026 has the same numbers.
 */

/** What a blob counts besides its size, in bytes: the rest of the last block of its file, and its rows. */
export const BLOB_BYTES = 4096;

/** What the row of a file of a version, or of a blob of a staged deploy, counts, in bytes. */
export const ROW_BYTES = 512;

/** What each byte of the path of a file of a version counts, in bytes: a long path is stored in two pages of its own. */
export const PATH_FACTOR = 6;

/** Returns what the rows of files of a version count, in bytes. */
export const bytesOfRows = (files: { path: string }[]): number =>
  files.reduce((sum, { path }) => sum + ROW_BYTES + PATH_FACTOR * Buffer.byteLength(path), 0);

/**
 * Builds the batch step that locks the database row with the bytes of a canvas's bundles. It must come before the steps of a batch that
 * change them, so that such batches run one after the other.
 */
export const lockBytes = (canvasId: string): Sql => sql`
  insert into bundle_bytes (canvas_id, bytes) values (${canvasId}, 0)
  on conflict (canvas_id) do update set bytes = bundle_bytes.bytes`;

/** Builds the batch step that adds a number, which may be negative, to the bytes of a canvas's bundles. */
export const countBytes = (canvasId: string, bytes: number): Optional =>
  optional`update bundle_bytes set bytes = bytes + ${bytes} where canvas_id = ${canvasId}`;
