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
  key: string;
  size: number;
  gzipKey: string | null;
  gzipSize: number;
}

const ROWS_AT_ONCE = 500;

/** Reads the files of a version. Sorts them by the bytes of their paths, so that the order is the same on SQLite and PostgreSQL. */
export async function storedFiles(version: string, { db }: Env): Promise<StoredFile[]> {
  const rows: Row[] = [];
  for (let slice: Row[] | null = null; slice === null || slice.length > 0; ) {
    slice = await db.all<Row>`
      select path, version_files.blob_key as key, version_files.size, gzip_key as "gzipKey", gzip_size as "gzipSize"
      from version_files join versions on versions.id = version_id
      join bundle_blobs on bundle_blobs.canvas_id = versions.canvas_id and bundle_blobs.blob_key = version_files.blob_key
      where version_id = ${version} and path > ${rows.at(-1)?.path ?? ""} order by path limit ${ROWS_AT_ONCE}`;
    rows.push(...slice);
  }
  return rows
    .map(({ path, key, size, gzipKey, gzipSize }) => ({
      path,
      plain: { key, size },
      gzip: gzipKey === null ? undefined : { key: gzipKey, size: gzipSize },
    }))
    .toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}
