import { pipeline, Readable } from "node:stream";
import { crc32, createDeflateRaw } from "node:zlib";
import { DEFLATED, HAS_DESCRIPTOR } from "./directory.ts";

/** The bytes of an entry exactly as the zip contains them: uncompressed or deflated. */
interface PackedData {
  /** The compression method: 0 for uncompressed, 8 for deflated data. */
  method: number;
  size: number;
  /** Opens a stream of the data. `crc` is the CRC-32 of the uncompressed content. */
  open(): Promise<{ crc: number; chunks: AsyncIterable<Uint8Array> | Uint8Array[] }>;
}

/** A file to write to a zip. */
export interface ArchivedFile {
  path: string;
  /** The size of the content in bytes; null if it is not known before the content has been read. */
  size: number | null;
  /** Opens a stream of the uncompressed content. */
  open(): Promise<AsyncIterable<Uint8Array>>;
  /** The data to write, or null if the file is compressed while the zip is written. */
  packed: PackedData | null;
}

/** The values that are in both headers of an entry: the local one before the data, and the central one in the directory. */
interface Fields {
  flags: number;
  method: number;
  crc: number;
  compressedSize: number;
  size: number;
}

const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const DESCRIPTOR_BYTES = 16;
const END_BYTES = 22;
const ONES = 0xffffffff;
const UTF8 = 0x800;
const VERSION = 20;
const VERSION_64 = 45;
/** The field "version made by": Unix, so that programs interpret the file modes. */
const MADE_BY = 0x0300 | VERSION;
const REGULAR_FILE = 0o100644;
/** 1 January 1980, the earliest date of the zip format. It is fixed, so that the same files always give the same bytes. */
const DATE = 0x0021;
const DEFLATE_LEVEL = 6;

function encode({ flags, method, crc, compressedSize, size }: Fields, name: Buffer): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(VERSION, 0);
  fields.writeUInt16LE(UTF8 | flags, 2);
  fields.writeUInt16LE(method, 4);
  fields.writeUInt16LE(DATE, 8);
  fields.writeUInt32LE(crc, 10);
  fields.writeUInt32LE(compressedSize, 14);
  fields.writeUInt32LE(size, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
}

const localHeader = (fields: Fields, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from("PK\x03\x04"), encode(fields, name), name]);

function centralHeader(fields: Fields, name: Buffer, offset: number): Buffer {
  const [start, end] = [Buffer.from("PK\x01\x02\0\0"), Buffer.alloc(14)];
  start.writeUInt16LE(MADE_BY, 4);
  end.writeUInt32LE((REGULAR_FILE << 16) >>> 0, 6);
  end.writeUInt32LE(Math.min(offset, ONES), 10);
  const header = encode(fields, name);
  const extra = offset < ONES ? Buffer.alloc(0) : zip64Offset(offset);
  header.writeUInt16LE(extra.length, 24);
  return Buffer.concat([start, header, end, name, extra]);
}

/** Returns the zip64 extra field with the offset of a local header (APPNOTE 4.5.3). */
function zip64Offset(offset: number): Buffer {
  const extra = Buffer.from("\x01\0\x08\0".padEnd(12, "\0"));
  extra.writeBigUInt64LE(BigInt(offset), 4);
  return extra;
}

/** Returns the zip64 end record of a directory, and its locator (APPNOTE 4.3.14 and 4.3.15). */
function endRecord64(entries: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(76);
  end.write("PK\x06\x06");
  end.writeBigUInt64LE(44n, 4);
  end.writeUInt16LE(MADE_BY, 12);
  end.writeUInt16LE(VERSION_64, 14);
  for (const [index, value] of [entries, entries, size, offset].entries())
    end.writeBigUInt64LE(BigInt(value), 24 + 8 * index);
  end.write("PK\x06\x07", 56);
  end.writeBigUInt64LE(BigInt(offset + size), 64);
  end.writeUInt32LE(1, 72);
  return end;
}

/** Returns the end of a zip. It contains zip64 records only if a number does not fit into the normal end record. */
function endRecord(entries: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(END_BYTES);
  end.write("PK\x05\x06");
  end.writeUInt16LE(Math.min(entries, 0xffff), 8);
  end.writeUInt16LE(Math.min(entries, 0xffff), 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(Math.min(offset, ONES), 16);
  if (entries < 0xffff && offset < ONES) return end;
  return Buffer.concat([endRecord64(entries, size, offset), end]);
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength);

const requireSize = (path: string, size: number, expected: number | null): void => {
  if (expected !== null && size !== expected)
    throw new Error(`${path} has ${size} bytes instead of ${expected}`);
};

/** Yields the local header of an entry, and then its data without changes. Returns the fields of the header. */
async function* packedEntry(path: string, size: number, packed: PackedData): AsyncGenerator<Buffer, Fields> {
  const { crc, chunks } = await packed.open();
  const fields = { flags: 0, method: packed.method, crc, compressedSize: packed.size, size };
  yield localHeader(fields, Buffer.from(path));
  let written = 0;
  for await (const chunk of chunks) {
    written += chunk.length;
    yield asBuffer(chunk);
  }
  requireSize(path, written, packed.size);
  return fields;
}

/**
 * Yields the local header of an entry, the data, which this function compresses, and a descriptor. The descriptor contains the checksum and
 * the sizes, because they are not known before the end of the data. Returns the fields of the header with the checksum and the sizes.
 */
async function* deflatedEntry({ path, size, open }: ArchivedFile): AsyncGenerator<Buffer, Fields> {
  const fields = { flags: HAS_DESCRIPTOR, method: DEFLATED, crc: 0, compressedSize: 0, size: 0 };
  yield localHeader(fields, Buffer.from(path));
  async function* content() {
    for await (const chunk of await open()) {
      fields.crc = crc32(chunk, fields.crc);
      fields.size += chunk.length;
      yield chunk;
    }
  }
  const source = Readable.from(content(), { objectMode: false });
  const deflated = pipeline(source, createDeflateRaw({ level: DEFLATE_LEVEL }), () => {});
  // Without a listener, an error after the last byte would end the process.
  deflated.on("error", () => {});
  for await (const chunk of deflated as AsyncIterable<Buffer>) {
    fields.compressedSize += chunk.length;
    yield chunk;
  }
  requireSize(path, fields.size, size);
  const descriptor = Buffer.from(`PK\x07\x08${"\0".repeat(12)}`);
  for (const [index, value] of [fields.crc, fields.compressedSize, fields.size].entries())
    descriptor.writeUInt32LE(value, 4 + 4 * index);
  yield descriptor;
  return fields;
}

/** Returns the size in bytes of the zip of these files, or null if it is unknown because a file is compressed while the zip is written. */
export function zipSize(files: ArchivedFile[]): number | null {
  let size = END_BYTES;
  for (const { path, packed } of files) {
    if (packed === null) return null;
    size += LOCAL_BYTES + CENTRAL_BYTES + 2 * Buffer.byteLength(path) + packed.size;
  }
  return size;
}

/**
 * Yields the bytes of a zip, and reads the files only as fast as the zip is read. A file has at most 4 GiB. The same files always give the
 * same bytes. Throws if the size of a file is not the declared one.
 */
export async function* writeZip(
  files: Iterable<ArchivedFile> | AsyncIterable<ArchivedFile>,
): AsyncGenerator<Buffer> {
  const directory: Buffer[] = [];
  let offset = 0;
  for await (const file of files) {
    const { path, size, packed } = file;
    const fields = yield* packed === null
      ? deflatedEntry(file)
      : packedEntry(path, size ?? packed.size, packed);
    const name = Buffer.from(path);
    directory.push(centralHeader(fields, name, offset));
    offset += LOCAL_BYTES + name.length + fields.compressedSize + (packed === null ? DESCRIPTOR_BYTES : 0);
  }
  const bytes = Buffer.concat(directory);
  yield bytes;
  yield endRecord(directory.length, bytes.length, offset);
}
