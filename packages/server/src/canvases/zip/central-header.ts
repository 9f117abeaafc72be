import { setImmediate as immediate } from "node:timers/promises";
import type { Directory } from "./end-of-directory.ts";
import { ExtraFields, isFileMode } from "./extra-fields.ts";
import { malformed } from "./malformed.ts";
import type { ZipSource } from "./zip-source.ts";

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
