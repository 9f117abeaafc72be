import { inParallel } from "../async/task-pool.ts";
import type { BlobColumn } from "../drivers/blob-references.ts";
import { type Blobs, OtherContent } from "../drivers/blobs/blobs.ts";
import { sqlText, type Tables } from "../drivers/db/db.ts";

/** The number of keys that are read at once. */
const KEYS_MAX = 500;
/** The number of blobs that are copied at once. */
const AT_ONCE = 8;

/** What has become of the blobs to which a database refers. */
export interface CopiedBlobs {
  copied: number;
  bytes: number;
  /** Those that the target had already. */
  there: number;
  /** The keys of those that the source does not have, or has with other bytes than their key says. */
  lost: string[];
}

/** Copies every blob to which a database refers. The store compares the bytes with the key. `onBlobs` is called now and then. */
export async function copyBlobs(
  columns: readonly BlobColumn[],
  tables: Tables,
  from: Blobs,
  to: Blobs,
  onBlobs: (soFar: CopiedBlobs) => void,
): Promise<CopiedBlobs> {
  const known = new Set<string>();
  for await (const key of to.list(Number.MAX_SAFE_INTEGER)) known.add(key);
  const result: CopiedBlobs = { copied: 0, bytes: 0, there: known.size, lost: [] };
  for (const column of columns) {
    for await (const keys of keysOf(column, tables)) {
      const missing = keys.filter((key) => !known.has(key));
      await inParallel(missing, AT_ONCE, async (key) => {
        const size = await copyBlob(key, from, to);
        if (size === null) result.lost.push(key);
        else {
          result.copied += 1;
          result.bytes += size;
        }
      });
      for (const key of missing) known.add(key);
      if (missing.length > 0) onBlobs(result);
    }
  }
  return result;
}

/** Copies a blob. Returns its size in bytes; null if the source has lost it. */
async function copyBlob(key: string, from: Blobs, to: Blobs): Promise<number | null> {
  const source = await from.get(key);
  if (source === null) return null;
  try {
    return (await to.put(source, { key })).size;
  } catch (error) {
    if (error instanceof OtherContent) return null;
    throw error;
  } finally {
    source.destroy();
  }
}

/** Reads the keys in a column, in their order and each once, slice by slice. */
async function* keysOf(
  { table, column, where = "true" }: BlobColumn,
  tables: Tables,
): AsyncGenerator<string[]> {
  const text = sqlText(
    `select distinct ${column} as key from ${table} where ${column} > ? and ${where} order by ${column} limit ${KEYS_MAX}`,
  );
  for (let last = ""; ; ) {
    const keys = (await tables.all<{ key: string }>(text, last)).map(({ key }) => key);
    if (keys.length > 0) yield keys;
    if (keys.length < KEYS_MAX) return;
    last = keys.at(-1) as string;
  }
}
