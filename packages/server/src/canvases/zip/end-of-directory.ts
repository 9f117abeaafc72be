import { malformed } from "./malformed.ts";
import { wholeNumber } from "./whole-number.ts";
import type { ZipSource } from "./zip-source.ts";

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
