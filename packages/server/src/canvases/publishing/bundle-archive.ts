import { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import { pathFault } from "@easel/protocol/bundle";
import { LIMITS } from "@easel/protocol/limits";
import type { Env } from "../../env.ts";
import { DEFLATED, STORED } from "../zip/directory.ts";
import { type ArchivedFile, writeZip, zipSize } from "../zip/zip-writer.ts";
import { commonFolder } from "./select-files.ts";

/** The key and the size in bytes of a blob that contains a file of a version. */
interface StoredBlob {
  key: string;
  size: number;
}

/**
 * A file of a version. `plain` is the blob with the uploaded content. `gzip` is the blob with the compressed content, or undefined if there
 * is none.
 */
interface StoredFile {
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

const ROWS_AT_ONCE = 200;

/** Reads the files of a version. Sorts them by the bytes of their paths, so that the order is the same on SQLite and PostgreSQL. */
async function storedFiles(version: string, { db }: Env): Promise<StoredFile[]> {
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

/** A bundle as a zip. `size` is the number of bytes of the zip, or null if it is not known before all of the zip has been read. */
export interface BundleArchive {
  size: number | null;
  open(): Readable;
}

/** The first bytes of gzip data that zlib writes: signature, compression method and flags. */
const GZIP = Buffer.from([0x1f, 0x8b, 8, 0]);
const GZIP_HEADER_BYTES = 10;
/** The length in bytes of the end of gzip data: the checksum and the size of the uncompressed content. */
const GZIP_TRAILER_BYTES = 8;

async function bytesOf(
  key: string,
  { blobs }: Env,
  range?: { start: number; end: number },
): Promise<Readable> {
  const stream = await blobs.get(key, range);
  if (stream === null) throw new Error(`Blob ${key} of a version is missing`);
  return stream;
}

async function read(key: string, start: number, length: number, env: Env): Promise<Buffer> {
  if (length === 0) return Buffer.alloc(0);
  return Buffer.concat(await (await bytesOf(key, env, { start, end: start + length - 1 })).toArray());
}

/**
 * Streams a blob or a range of its bytes. Opens the blob when the stream is first read. A download that is aborted therefore never opens
 * the remaining blobs.
 */
async function* lazily(key: string, env: Env, range?: { start: number; end: number }) {
  yield* await bytesOf(key, env, range);
}

/** The size up to which a blob is read at once. Most files of most bundles are as small, and opening them takes longer than reading. */
const SMALL_BYTES = 64 * 1024;

/**
 * Returns the deflated data inside a gzip blob, and the CRC-32 of the uncompressed content. Throws if the blob is not the gzip of
 * `plainSize` bytes.
 */
async function deflated(key: string, size: number, plainSize: number, env: Env) {
  const end = size - GZIP_TRAILER_BYTES;
  const small = size > SMALL_BYTES ? undefined : await read(key, 0, size, env);
  const [header, trailer] =
    small === undefined
      ? await Promise.all([read(key, 0, GZIP_HEADER_BYTES, env), read(key, end, GZIP_TRAILER_BYTES, env)])
      : [small.subarray(0, GZIP_HEADER_BYTES), small.subarray(end)];
  if (!header.subarray(0, GZIP.length).equals(GZIP) || trailer.readUInt32LE(4) !== plainSize)
    throw new Error(`Blob ${key} is not the gzip of ${plainSize} bytes`);
  return {
    crc: trailer.readUInt32LE(0),
    chunks:
      small === undefined
        ? lazily(key, env, { start: GZIP_HEADER_BYTES, end: end - 1 })
        : [small.subarray(GZIP_HEADER_BYTES, end)],
  };
}

/** Returns the content of a blob and its CRC-32. Reads a large blob twice, because in a zip the checksum comes before the content. */
async function stored({ key, size }: StoredFile["plain"], env: Env) {
  if (size <= SMALL_BYTES) {
    const bytes = await read(key, 0, size, env);
    return { crc: crc32(bytes), chunks: [bytes] };
  }
  let crc = 0;
  for await (const chunk of lazily(key, env)) crc = crc32(chunk, crc);
  return { crc, chunks: lazily(key, env) };
}

function archived({ path, plain, gzip }: StoredFile, env: Env): ArchivedFile {
  const { key, size } = plain;
  return {
    path,
    size,
    open: async () => lazily(key, env),
    packed:
      gzip === undefined
        ? { method: STORED, size, open: () => stored(plain, env) }
        : {
            method: DEFLATED,
            size: gzip.size - GZIP_HEADER_BYTES - GZIP_TRAILER_BYTES,
            open: () => deflated(gzip.key, gzip.size, size, env),
          },
  };
}

/**
 * Returns the files of a version as a zip, which a deploy accepts and stores as the same files. Leaves out files of older releases whose
 * paths a deploy would refuse. Files that are stored with gzip are
 * compressed in the zip. The others are compressed only if the zip would otherwise be larger than `limit`, the maximum size of a zip in a
 * deploy.
 */
export async function archiveOf(
  version: string,
  env: Env,
  limit: number = LIMITS.bundleBytes.value,
): Promise<BundleArchive> {
  const files = (await storedFiles(version, env)).filter(({ path }) => pathFault(path) === undefined);
  // A deploy removes a folder that contains all files. If this version has such a folder, the zip gets another one around it.
  const around = commonFolder(files.map(({ path }) => path)) === "" ? "" : "bundle/";
  const ready = files.map((file) => archived({ ...file, path: around + file.path }, env));
  const isSmall = (zipSize(ready) ?? 0) <= limit;
  const chosen = isSmall
    ? ready
    : ready.map((file) => (file.packed?.method === STORED ? { ...file, packed: null } : file));
  return {
    size: zipSize(chosen),
    // The stream buffers only one chunk, so that a slow client costs little memory.
    open: () => Readable.from(writeZip(chosen), { objectMode: false, highWaterMark: 1 }),
  };
}
