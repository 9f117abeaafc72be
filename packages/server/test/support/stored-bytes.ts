import type { Db } from "../../src/drivers/db/db.ts";

/**
 * Counts again what the bundles of a canvas take, from the tables: a blob counts its size and 4,096 bytes, a file of a version 512 bytes and
 * six times its path, a staged deploy what its row says.
 */
export async function recount(canvasId: string, { db }: { db: Db }): Promise<number> {
  const blobs = await db.all<{ size: number }>`select size from bundle_blobs where canvas_id = ${canvasId}`;
  const files = await db.all<{ path: string }>`
    select path from version_files join versions on versions.id = version_id where canvas_id = ${canvasId}`;
  const staged = await db.all<{ charged: number }>`
    select charged from staged_deploys where canvas_id = ${canvasId}`;
  return (
    blobs.reduce((sum, { size }) => sum + size + 4096, 0) +
    files.reduce((sum, { path }) => sum + 512 + 6 * Buffer.byteLength(path), 0) +
    staged.reduce((sum, { charged }) => sum + charged, 0)
  );
}

/** Returns what a file of a new bundle counts: its row and its content. */
export const bytesOfFile = (path: string, size: number): number => 512 + 6 * path.length + size + 4096;
