import { pipeline, Readable } from "node:stream";
import { setImmediate as immediate } from "node:timers/promises";
import { crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import { LIMITS } from "@easel/protocol/limits";
import { refuse } from "../../http/refusal.ts";
import {
  type CentralHeader,
  DEFLATED,
  type Directory,
  ENCRYPTED,
  ExtraFields,
  findDirectory,
  HAS_DESCRIPTOR,
  readHeaders,
} from "./directory.ts";
import { malformed, type ZipSource } from "./zip-source.ts";

/** An entry of a zip whose local and central headers agree. `dataStart` is the position of its data in the zip, in bytes. */
export interface ZipEntry extends CentralHeader {
  dataStart: number;
}

const SIGNATURE = 0x04034b50;
const FIXED_BYTES = 30;
const DESCRIPTOR = Buffer.from("PK\x07\x08");
const ONES = 0xffffffff;
/** The number of headers that are read in one turn of the event loop. */
const HEADERS_AT_ONCE = 250;

/** Returns the four valid forms of an entry's data descriptor: with and without a signature, with sizes of 32 and of 64 bits. */
function descriptorsOf({ crc, compressedSize, size }: CentralHeader): Buffer[] {
  const small = Buffer.alloc(12);
  small.writeUInt32LE(crc, 0);
  small.writeUInt32LE(compressedSize, 4);
  small.writeUInt32LE(size, 8);
  const large = Buffer.alloc(20);
  large.writeUInt32LE(crc, 0);
  large.writeBigUInt64LE(BigInt(compressedSize), 4);
  large.writeBigUInt64LE(BigInt(size), 12);
  return [small, large].flatMap((form) => [form, Buffer.concat([DESCRIPTOR, form])]);
}

/**
 * Checks the checksum and the sizes in a local header and its zip64 field. They must be equal to those in the central header, or 0 if the
 * entry has a data descriptor. Throws 400 `INVALID_BODY` otherwise.
 */
function checkSizes(fixed: Buffer, zip64: number[] | undefined, header: CentralHeader): void {
  const { crc, size, compressedSize, flags } = header;
  const isLater = (flags & HAS_DESCRIPTOR) !== 0;
  const agrees = (value: number, right: number) => value === right || (isLater && value === 0);
  const fits = (value: number, right: number) =>
    agrees(value, right) || (value === ONES && zip64?.length === 2);
  if (
    !agrees(fixed.readUInt32LE(14), crc) ||
    !fits(fixed.readUInt32LE(18), compressedSize) ||
    !fits(fixed.readUInt32LE(22), size) ||
    (zip64 !== undefined &&
      !(zip64.length === 2 && agrees(zip64[0] ?? 0, size) && agrees(zip64[1] ?? 0, compressedSize)))
  )
    malformed("the two headers of an entry differ in checksum or size");
}

/**
 * Compares the local header of an entry with its central header. Throws 400 `INVALID_BODY` if they differ. Returns the position of the
 * entry's data.
 */
async function checkLocal(source: ZipSource, header: CentralHeader): Promise<number> {
  const { offset, name, flags, method, path } = header;
  const fixed = Buffer.from(await source.bytes(offset, FIXED_BYTES));
  if (fixed.readUInt32LE(0) !== SIGNATURE) malformed("an offset in it points to no entry");
  const [nameBytes, extraBytes] = [fixed.readUInt16LE(26), fixed.readUInt16LE(28)];
  const rest = await source.bytes(offset + FIXED_BYTES, nameBytes + extraBytes);
  const extra = new ExtraFields(rest.subarray(nameBytes));
  const unicode = extra.unicodePath(name) ?? Buffer.from(path);
  if (!rest.subarray(0, nameBytes).equals(name) || !unicode.equals(Buffer.from(path)))
    malformed("the two headers of an entry differ in its name");
  const meaning = ENCRYPTED | HAS_DESCRIPTOR;
  if ((fixed.readUInt16LE(6) & meaning) !== (flags & meaning) || fixed.readUInt16LE(8) !== method)
    malformed("the two headers of an entry differ in how it is stored");
  if (extra.isSpecial && header.fault === undefined)
    malformed("the two headers of an entry differ in its type");
  checkSizes(fixed, extra.zip64, header);
  return offset + FIXED_BYTES + nameBytes + extraBytes;
}

/**
 * Checks the bytes between the data of an entry, which ends at `start`, and the next header, which begins at `end`. They must be the
 * entry's data descriptor, or no bytes if the entry has none. Throws 400 `INVALID_BODY` otherwise.
 */
async function checkDescriptor(source: ZipSource, header: CentralHeader, start: number, end: number) {
  const length = end - start;
  if (length < 0) malformed("entries in it overlap");
  if ((header.flags & HAS_DESCRIPTOR) === 0) {
    if (length > 0) malformed("it has bytes that belong to no entry");
    return;
  }
  const forms = descriptorsOf(header).filter((form) => form.length === length);
  const bytes = forms.length === 0 ? undefined : await source.bytes(start, length);
  if (bytes === undefined || !forms.some((form) => form.equals(bytes)))
    malformed("the data descriptor of an entry is wrong");
}

/**
 * Compares every local header with its central header. Throws 400 `INVALID_BODY` if two of them differ, or if the entries do not fill the
 * file up to the central directory without gaps and overlaps. Every program sees the same files in a zip that passes this check.
 */
async function checkEntries(
  source: ZipSource,
  headers: CentralHeader[],
  { start: directoryStart }: Directory,
): Promise<ZipEntry[]> {
  const sorted = headers.toSorted((a, b) => a.offset - b.offset);
  const entries: ZipEntry[] = [];
  if ((sorted[0]?.offset ?? directoryStart) !== 0) malformed("other bytes are before its first entry");
  for (const [index, header] of sorted.entries()) {
    const dataStart = await checkLocal(source, header);
    const end = sorted[index + 1]?.offset ?? directoryStart;
    await checkDescriptor(source, header, dataStart + header.compressedSize, end);
    entries.push({ ...header, dataStart });
    if (index % HEADERS_AT_ONCE === 0) await immediate();
  }
  return entries;
}

/** The maximum compressed size in bytes of an entry that is inflated in memory. Larger entries are streamed. */
const SMALL_COMPRESSED_BYTES = 64 * 1024;
/** The maximum uncompressed size in bytes of an entry that is inflated in memory. Larger entries are streamed. */
const SMALL_BYTES = 256 * 1024;

const damaged = ({ path }: ZipEntry): never => refuse("INVALID_BODY", { message: `\`${path}\` is damaged.` });

/**
 * Inflates data in memory and in this thread, because for small data this is faster than using another thread. Throws 400 `INVALID_BODY`
 * unless the compressed stream ends exactly at the end of the entry's data.
 */
function inflate(data: Buffer, entry: ZipEntry): Buffer {
  try {
    const result: unknown = inflateRawSync(data, { maxOutputLength: Math.max(entry.size, 1), info: true });
    // With `info`, the result is an object with a buffer and an engine. The types of Node do not declare this.
    const { buffer, engine } = result as { buffer: Buffer; engine: { bytesWritten: number } };
    if (engine.bytesWritten === entry.compressedSize) return buffer;
  } catch {
    // Data that cannot be inflated is reported as damaged below.
  }
  return damaged(entry);
}

/** Inflates data as a stream. Throws 400 `INVALID_BODY` unless the compressed stream ends exactly at the end of the entry's data. */
async function* inflated(data: AsyncIterable<Buffer>, entry: ZipEntry): AsyncGenerator<Buffer> {
  let failed: { error: unknown } | undefined;
  async function* watched() {
    try {
      yield* data;
    } catch (error) {
      failed = { error };
      throw error;
    }
  }
  const inflater = createInflateRaw();
  pipeline(Readable.from(watched(), { objectMode: false }), inflater, () => {});
  // Without a listener, an error after the last byte would end the process.
  inflater.on("error", () => {});
  try {
    yield* inflater as AsyncIterable<Buffer>;
  } catch {
    if (failed !== undefined) throw failed.error;
    damaged(entry);
  }
  if (inflater.bytesWritten !== entry.compressedSize) damaged(entry);
}

function unchecked(source: ZipSource, entry: ZipEntry): AsyncIterable<Buffer> {
  const { method, dataStart, compressedSize, size } = entry;
  if (compressedSize > SMALL_COMPRESSED_BYTES || size > SMALL_BYTES) {
    const data = source.stream(dataStart, compressedSize);
    return method === DEFLATED ? inflated(data, entry) : data;
  }
  return (async function* () {
    const data = await source.bytes(dataStart, compressedSize);
    yield method === DEFLATED ? inflate(data, entry) : data;
  })();
}

/**
 * Reads the uncompressed content of an entry. Throws 400 `INVALID_BODY` if the size or the checksum of the content is not the declared one.
 */
export async function* readEntry(source: ZipSource, entry: ZipEntry): AsyncGenerator<Buffer> {
  let size = 0;
  let sum = 0;
  for await (const chunk of unchecked(source, entry)) {
    size += chunk.length;
    if (size > entry.size) damaged(entry);
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (size !== entry.size || sum !== entry.crc) damaged(entry);
}

/** The limits of a zip: the number of its entries, and the length of the name of an entry in bytes. */
export interface ZipLimits {
  entries: number;
  nameBytes: number;
}

/** The limits of bundles. Longer names are in folders that are removed or left out, or break the limit of paths. */
const BUNDLE: ZipLimits = { entries: LIMITS.bundleEntries.value, nameBytes: 4096 };

/**
 * Reads the entries of a zip. Throws 400 `INVALID_BODY` if the zip exceeds a limit, or if two programs could see different files in the
 * zip: its records must agree with each other, and must fill the file without gaps (decision 030).
 */
export async function readZip(source: ZipSource, limits: ZipLimits = BUNDLE): Promise<ZipEntry[]> {
  const directory = await findDirectory(source);
  const isLong = directory.end - directory.start > LIMITS.zipDirectoryBytes.value;
  if (directory.entries > limits.entries || isLong)
    refuse("INVALID_BODY", { message: "The zip has too many entries." });
  return checkEntries(source, await readHeaders(source, directory, limits.nameBytes), directory);
}
