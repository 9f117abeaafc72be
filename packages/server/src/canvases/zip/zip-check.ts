import { setImmediate as immediate } from "node:timers/promises";
import { type CentralHeader, ENCRYPTED, HAS_DESCRIPTOR } from "./central-header.ts";
import type { Directory } from "./end-of-directory.ts";
import { ExtraFields } from "./extra-fields.ts";
import { malformed } from "./malformed.ts";
import type { ZipSource } from "./zip-source.ts";

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
export async function checkEntries(
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
