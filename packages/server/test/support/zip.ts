import { buffer } from "node:stream/consumers";
import { crc32, deflateRawSync } from "node:zlib";
import { ZipFile } from "yazl";

/** The contents of a bundle's files, keyed by their path. */
export type Files = Record<string, string | Buffer>;

/** Returns a valid zip, as common tools write it. */
export function zip(files: Files): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [path, content] of Object.entries(files)) archive.addBuffer(Buffer.from(content), path);
  archive.end();
  return buffer(archive.outputStream);
}

/** Fields of the header of an entry in a zip. */
interface Header {
  name?: string | Buffer;
  /** The compression method: 0 for none, 8 for deflate. */
  method?: number;
  /** 0x800: the name is UTF-8; 1: encrypted; 8: a data descriptor follows. */
  flags?: number;
  crc?: number;
  size?: number;
  compressedSize?: number;
  extra?: Buffer;
}

/**
 * An entry of a hand-made zip. Given fields override the correct ones in both headers of the entry; `local` overrides them in the local
 * header only.
 */
export interface Forged extends Header {
  name: string | Buffer;
  content?: string | Buffer;
  /** The Unix mode of the file. 0o120777 is a symbolic link. */
  mode?: number;
  /** The offset that the directory states for the entry. */
  offset?: number;
  /** The number of the part of a split zip that the entry claims to be in. */
  disk?: number;
  local?: Header;
  /** The bytes of the entry, instead of the content in its compressed form. */
  data?: Buffer;
  /** `before`: bytes before the entry. `after`: bytes after its data. */
  before?: Buffer;
  after?: Buffer;
}

/** The end records of a hand-made zip. Given fields override the correct ones. */
interface End {
  entries?: number;
  /** The number of entries in this part of a split zip. */
  here?: number;
  disk?: number;
  size?: number;
  offset?: number;
  comment?: Buffer;
  /** `before`: bytes between the directory and the end records. `after`: bytes after the end records. */
  before?: Buffer;
  after?: Buffer;
  /** Adds the end records of zips with more than 4 GiB or 65,535 entries. Given fields override the correct ones. */
  zip64?: { entries?: number; size?: number; offset?: number; at?: number; bytes?: number; disks?: number };
}

const UTF8 = 0x800;
const NONE = Buffer.alloc(0);

/** Returns an extra field, as a header of an entry contains it. */
export function extraField(id: number, data: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(data.length, 2);
  return Buffer.concat([head, data]);
}

const u64 = (...values: (number | bigint)[]): Buffer => {
  const bytes = Buffer.alloc(8 * values.length);
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), 8 * index);
  return bytes;
};

/** Returns the extra field that contains sizes and offsets of more than 4 GiB. */
export const zip64Field = (...values: (number | bigint)[]): Buffer => extraField(1, u64(...values));

/** Returns a data descriptor: checksum and sizes that follow the data. */
export function descriptor(
  content: string,
  compressedSize: number,
  { signed = true, wide = false } = {},
): Buffer {
  const crc = Buffer.alloc(4);
  crc.writeUInt32LE(crc32(content));
  const sizes = u64(compressedSize, Buffer.byteLength(content));
  const narrow = Buffer.concat([sizes.subarray(0, 4), sizes.subarray(8, 12)]);
  return Buffer.concat([signed ? Buffer.from("PK\x07\x08") : NONE, crc, wide ? sizes : narrow]);
}

/** Returns the fields that the local and the central header of an entry share, from the version to the length of the extra field. */
function claims({
  name = "",
  method = 0,
  flags = UTF8,
  crc = 0,
  size = 0,
  compressedSize = 0,
  extra = NONE,
}: Header) {
  const bytes = Buffer.alloc(26);
  bytes.writeUInt16LE(20, 0);
  bytes.writeUInt16LE(flags, 2);
  bytes.writeUInt16LE(method, 4);
  bytes.writeUInt32LE(crc, 10);
  bytes.writeUInt32LE(compressedSize, 14);
  bytes.writeUInt32LE(size, 18);
  bytes.writeUInt16LE(Buffer.from(name).length, 22);
  bytes.writeUInt16LE(extra.length, 24);
  return bytes;
}

/** Returns a hand-made zip. */
export function forge(list: Forged[], end: End = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  const add = (...bytes: Buffer[]) => {
    parts.push(...bytes);
    for (const { length } of bytes) at += length;
  };
  for (const {
    content = "content",
    local,
    mode = 0o100644,
    data,
    before = NONE,
    after = NONE,
    ...each
  } of list) {
    const plain = Buffer.from(content);
    const bytes = data ?? (each.method === 8 ? deflateRawSync(plain) : plain);
    const header = { crc: crc32(plain), size: plain.length, compressedSize: bytes.length, ...each };
    const own = { ...header, ...local };
    add(before);
    const rest = Buffer.alloc(14);
    rest.writeUInt16LE(each.disk ?? 0, 2);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(each.offset ?? at, 10);
    const { name, extra = NONE } = header;
    // States that the zip was made on Unix, so that file modes apply.
    directory.push(Buffer.from("PK\x01\x02\x14\x03"), claims(header), rest, Buffer.from(name), extra);
    add(Buffer.from("PK\x03\x04"), claims(own), Buffer.from(own.name), own.extra ?? NONE, bytes, after);
  }
  const size = Buffer.concat(directory).length;
  return Buffer.concat([...parts, ...directory, endOf(list.length, at, size, end)]);
}

function endOf(entries: number, offset: number, size: number, end: End): Buffer {
  const { comment = NONE, before = NONE, after = NONE, zip64 } = end;
  const records: Buffer[] = [before];
  if (zip64 !== undefined) {
    const record = Buffer.alloc(56);
    record.write("PK\x06\x06");
    u64(zip64.bytes ?? 44).copy(record, 4);
    const count = zip64.entries ?? entries;
    u64(count, count, zip64.size ?? size, zip64.offset ?? offset).copy(record, 24);
    const locator = Buffer.alloc(20);
    locator.write("PK\x06\x07");
    u64(zip64.at ?? offset + size + before.length).copy(locator, 8);
    locator.writeUInt32LE(zip64.disks ?? 1, 16);
    records.push(record, locator);
  }
  const record = Buffer.alloc(22);
  record.write("PK\x05\x06");
  record.writeUInt16LE(end.disk ?? 0, 4);
  record.writeUInt16LE(end.here ?? end.entries ?? entries, 8);
  record.writeUInt16LE(end.entries ?? entries, 10);
  record.writeUInt32LE(end.size ?? size, 12);
  record.writeUInt32LE(end.offset ?? offset, 16);
  record.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...records, record, comment, after]);
}
