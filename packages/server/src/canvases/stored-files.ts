import type { Env } from "../env.ts";

/** The key and the size in bytes of a blob that contains a file of a version. */
interface StoredBlob {
  key: string;
  size: number;
}

/**
 * A file of a version. `plain` is the blob with the uploaded content. `gzip` is the blob with the compressed content, or undefined if there
 * is none.
 */
export interface StoredFile {
  path: string;
  plain: StoredBlob;
  gzip: StoredBlob | undefined;
}

interface Row {
  path: string;
  encoding: "identity" | "gzip";
  key: string;
  size: number;
}

const ROWS_AT_ONCE = 500;

/** Reads the files of a version. Sorts them by the bytes of their paths, so that the order is the same on SQLite and PostgreSQL. */
export async function storedFiles(version: string, { db }: Env): Promise<StoredFile[]> {
  const rows: Row[] = [];
  for (let slice: Row[] = [{ path: "", encoding: "gzip", key: "", size: 0 }]; slice.length > 0; ) {
    const { path, encoding } = slice.at(-1) as Row;
    slice = await db.all<Row>`
      select path, encoding, blob_key as key, size from version_files
      where version_id = ${version} and (path, encoding) > (${path}, ${encoding}) and encoding in ('identity', 'gzip')
      order by path, encoding limit ${ROWS_AT_ONCE}`;
    rows.push(...slice);
  }
  const variants = new Map(rows.filter(({ encoding }) => encoding === "gzip").map((row) => [row.path, row]));
  return rows
    .filter(({ encoding }) => encoding === "identity")
    .map(({ path, key, size }) => ({ path, plain: { key, size }, gzip: variants.get(path) }))
    .toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}
