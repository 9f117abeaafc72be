import { setImmediate as immediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { malformed, wholeNumber, type ZipSource } from "./zip-source.ts";

/** The identifier of the extra field with 64-bit sizes and offsets (APPNOTE 4.5). */
const ZIP64 = 0x0001;
/** The identifier of the PKWARE extra field with Unix times, owner, and the target of a link or the numbers of a device. */
const UNIX = 0x000d;
/** The identifier of the Info-ZIP extra field with the UTF-8 path. */
const UNICODE_PATH = 0x7075;
/** The identifier of the Info-ZIP extra field with the Unix mode and the target of a link. */
const ASI_UNIX = 0x756e;

/** The length in bytes of the field `UNIX` of a regular file. The field of a link or device is longer. */
const UNIX_BYTES = 12;
const FILE_TYPE = 0o170000;
const REGULAR_FILE = 0o100000;
const FOLDER = 0o040000;

/** Whether a Unix mode is that of a regular file or folder, or contains no file type. */
const isFileMode = (mode: number): boolean => [0, REGULAR_FILE, FOLDER].includes(mode & FILE_TYPE);

/** The extra fields of a zip header that change how its entry is read. Other extra fields are ignored. */
export class ExtraFields {
  readonly #fields = new Map<number, Buffer>();

  /** Copies the extra fields from the bytes of a header. Throws 400 `INVALID_BODY` if a field is cut off or occurs twice. */
  constructor(bytes: Buffer) {
    for (let at = 0; at + 4 <= bytes.length; ) {
      const id = bytes.readUInt16LE(at);
      const end = at + 4 + bytes.readUInt16LE(at + 2);
      if (end > bytes.length) malformed("an extra field is cut off");
      if ([ZIP64, UNIX, UNICODE_PATH, ASI_UNIX].includes(id)) {
        if (this.#fields.has(id)) malformed("an extra field occurs twice");
        this.#fields.set(id, Buffer.from(bytes.subarray(at + 4, end)));
      }
      at = end;
    }
  }

  /** Returns the 64-bit numbers in the zip64 field, or undefined if there is no such field. */
  get zip64(): number[] | undefined {
    const field = this.#fields.get(ZIP64);
    if (field === undefined) return undefined;
    if (field.length % 8 !== 0) malformed("a zip64 field has a wrong length");
    return Array.from({ length: field.length / 8 }, (_, index) => wholeNumber(field, 8 * index));
  }

  /**
   * Returns the UTF-8 path in the Unicode path field, which replaces a name in another encoding. Returns undefined if there is no such
   * field, or if its checksum is not that of `name`.
   */
  unicodePath(name: Buffer): Buffer | undefined {
    const field = this.#fields.get(UNICODE_PATH);
    if (field === undefined || field.length < 5 || field[0] !== 1) return undefined;
    return field.readUInt32LE(1) === crc32(name) ? field.subarray(5) : undefined;
  }

  /** Whether the fields say that the entry is a symbolic link, a hard link or a device. */
  get isSpecial(): boolean {
    const asi = this.#fields.get(ASI_UNIX);
    if (asi !== undefined && asi.length >= 6 && !isFileMode(asi.readUInt16LE(4))) return true;
    return (this.#fields.get(UNIX)?.length ?? 0) > UNIX_BYTES;
  }
}

/**
 * The central directory of a zip: its number of entries, and its start and end in bytes. The end records of the zip follow directly after
 * the directory.
 */
export interface Directory {
  entries: number;
  start: number;
  end: number;
}

const END = Buffer.from("PK\x05\x06");
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const LOCATOR = Buffer.from("PK\x06\x07");
const LOCATOR_BYTES = 20;
const END64 = Buffer.from("PK\x06\x06");
const END64_BYTES = 56;

const begins = (bytes: Buffer, signature: Buffer) => bytes.subarray(0, 4).equals(signature);

/**
 * Finds the last end record of a zip. Throws 400 `INVALID_BODY` unless the record and its comment end exactly at the end of the file: with
 * other bytes after it, another program could take another record for the last one.
 */
async function findEnd(source: ZipSource): Promise<{ at: number; record: Buffer }> {
  const start = Math.max(0, source.size - END_BYTES - MAX_COMMENT_BYTES);
  const tail = await source.bytes(start, source.size - start);
  const at = tail.lastIndexOf(END);
  if (at === -1) malformed("it has no end record: it is no zip, or it is cut off");
  if (at + END_BYTES > tail.length) malformed("its end record is cut off");
  const record = Buffer.from(tail.subarray(at));
  if (END_BYTES + record.readUInt16LE(20) !== record.length) malformed("other bytes follow its end");
  return { at: start + at, record };
}

/**
 * Reads the zip64 end record of a large zip. It must be directly before the zip64 locator, and the locator directly before the position
 * `end`. Returns undefined if there is no locator.
 */
async function readEnd64(source: ZipSource, end: number): Promise<Buffer | undefined> {
  if (end < LOCATOR_BYTES) return undefined;
  const locator = await source.bytes(end - LOCATOR_BYTES, LOCATOR_BYTES);
  if (!begins(locator, LOCATOR)) return undefined;
  const [disk, disks] = [locator.readUInt32LE(4), locator.readUInt32LE(16)];
  const at = end - LOCATOR_BYTES - END64_BYTES;
  if (disk !== 0 || disks > 1 || at < 0 || wholeNumber(locator, 8) !== at)
    malformed("its zip64 locator is wrong");
  const record = Buffer.from(await source.bytes(at, END64_BYTES));
  if (!begins(record, END64) || wholeNumber(record, 4) !== END64_BYTES - 12)
    malformed("its zip64 end record is wrong");
  return record;
}

/**
 * Finds the central directory of a zip. Throws 400 `INVALID_BODY` if the end records contradict each other, or if the directory is not
 * directly before them.
 */
export async function findDirectory(source: ZipSource): Promise<Directory> {
  const { at, record } = await findEnd(source);
  const end64 = await readEnd64(source, at);
  /**
   * Returns a field of the zip64 end record, or `small`, the field of the normal end record, if there is no zip64 record. Throws 400
   * `INVALID_BODY` if both records exist and differ in the field. The value `ones` in the normal record (all bits set) refers to the zip64
   * record, and so never differs.
   */
  const field = (small: number, ones: number, large: (record: Buffer) => number): number => {
    if (end64 === undefined) return small;
    if (small !== ones && small !== large(end64)) malformed("its end records differ");
    return large(end64);
  };
  const u16 = (offset: number, large: (record: Buffer) => number) =>
    field(record.readUInt16LE(offset), 0xffff, large);
  const u32 = (offset: number, large: (record: Buffer) => number) =>
    field(record.readUInt32LE(offset), 0xffffffff, large);

  const disk = u16(4, (large) => large.readUInt32LE(16));
  const firstDisk = u16(6, (large) => large.readUInt32LE(20));
  const here = u16(8, (large) => wholeNumber(large, 24));
  const entries = u16(10, (large) => wholeNumber(large, 32));
  const size = u32(12, (large) => wholeNumber(large, 40));
  const start = u32(16, (large) => wholeNumber(large, 48));
  if (disk !== 0 || firstDisk !== 0 || here !== entries) malformed("it is one of several parts");
  const end = end64 === undefined ? at : at - LOCATOR_BYTES - END64_BYTES;
  if (start + size !== end) malformed("its directory is not directly before its end");
  return { entries, start, end };
}

/** An entry of a zip, as the zip's central directory describes it. */
export interface CentralHeader {
  path: string;
  /** The bytes of the name, which the local header must repeat. */
  name: Buffer;
  isFolder: boolean;
  flags: number;
  method: number;
  crc: number;
  compressedSize: number;
  size: number;
  /** The position of the entry's local header in the zip, in bytes. */
  offset: number;
  /** The reason why the entry cannot be published, such as `is encrypted`. Undefined if the entry can be published. */
  fault: string | undefined;
}

/** The bits in the flags of a zip entry of which at least one is set if the data or the headers are encrypted. */
export const ENCRYPTED = 0x2041;
/** The bit in the flags of a zip entry that is set if the checksum and the sizes follow the data. */
export const HAS_DESCRIPTOR = 0x08;
/** The compression method of a zip entry whose data is not compressed. */
export const STORED = 0;
/** The compression method of a zip entry whose data is compressed with Deflate. */
export const DEFLATED = 8;

const SIGNATURE = 0x02014b50;
const FIXED_BYTES = 46;
const SLASH = 0x2f;
const ONES = 0xffffffff;
/** The number of headers that are read in one turn of the event loop. */
const HEADERS_AT_ONCE = 250;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(name: Buffer): string {
  try {
    return utf8.decode(name);
  } catch {
    return malformed("a name in it is not UTF-8");
  }
}

/**
 * Returns the values of header fields. If a field is `0xffffffff`, its value is the next number of the zip64 extra field. Throws 400
 * `INVALID_BODY` if the zip64 field does not have exactly one number for each such field.
 */
function large(fields: number[], zip64: number[] | undefined): number[] {
  const missing = fields.filter((field) => field === ONES).length;
  if (missing !== (zip64?.length ?? 0)) malformed("a zip64 field does not fit its header");
  let next = 0;
  return fields.map((field) => (field === ONES ? (zip64?.[next++] ?? ONES) : field));
}

function faultOf(flags: number, method: number, isSpecial: boolean): string | undefined {
  if (flags & ENCRYPTED) return "is encrypted";
  if (isSpecial) return "is a link or a device";
  return method === STORED || method === DEFLATED ? undefined : "is compressed in an unknown way";
}

function parse(fixed: Buffer, name: Buffer, extra: ExtraFields): CentralHeader {
  const path = decode(extra.unicodePath(name) ?? name);
  const [flags, method] = [fixed.readUInt16LE(8), fixed.readUInt16LE(10)];
  const [size = 0, compressedSize = 0, offset = 0] = large(
    [fixed.readUInt32LE(24), fixed.readUInt32LE(20), fixed.readUInt32LE(42)],
    extra.zip64,
  );
  if (fixed.readUInt16LE(34) !== 0) malformed("it is one of several parts");
  const isFolder = name.at(-1) === SLASH;
  if (isFolder !== path.endsWith("/")) malformed("a name in it has two forms that differ");
  if (isFolder && size > 0) malformed("a folder in it has content");
  const mode = fixed.readUInt32LE(38) >>> 16;
  const fault = faultOf(flags, method, !isFileMode(mode) || extra.isSpecial);
  if (fault === undefined && method === STORED && size !== compressedSize)
    malformed("a stored file in it has two sizes");
  return {
    ...{ path, name, isFolder, flags, method, crc: fixed.readUInt32LE(16) },
    ...{ compressedSize, size, offset, fault },
  };
}

/**
 * Reads the headers in the central directory of a zip. Throws 400 `INVALID_BODY` unless the directory consists of exactly the declared
 * number of headers, with names of at most `nameBytes` bytes.
 */
export async function readHeaders(
  source: ZipSource,
  directory: Directory,
  nameBytes: number,
): Promise<CentralHeader[]> {
  const headers: CentralHeader[] = [];
  let at = directory.start;
  while (headers.length < directory.entries) {
    const fixed = Buffer.from(await source.bytes(at, FIXED_BYTES));
    if (fixed.readUInt32LE(0) !== SIGNATURE) malformed("it has fewer entries than it counts");
    const [name, extra, comment] = [28, 30, 32].map((field) => fixed.readUInt16LE(field)) as [
      number,
      number,
      number,
    ];
    if (name > nameBytes) malformed("a name in it is too long");
    const rest = await source.bytes(at + FIXED_BYTES, name + extra);
    headers.push(parse(fixed, Buffer.from(rest.subarray(0, name)), new ExtraFields(rest.subarray(name))));
    at += FIXED_BYTES + name + extra + comment;
    if (headers.length % HEADERS_AT_ONCE === 0) await immediate();
  }
  if (at !== directory.end) malformed("its directory has another length than it says");
  return headers;
}
