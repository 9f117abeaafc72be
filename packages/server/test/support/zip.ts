import { buffer } from "node:stream/consumers";
import { crc32, deflateRawSync } from "node:zlib";
import { ZipFile } from "yazl";

/** Files of a bundle by path. */
export type Files = Record<string, string | Buffer>;

/** Returns a valid zip, as common tools write it. */
export function zip(files: Files): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [path, content] of Object.entries(files)) archive.addBuffer(Buffer.from(content), path);
  archive.end();
  return buffer(archive.outputStream);
}

/** An entry of a hand-made zip. Given fields override the correct ones. */
export interface Forged {
  name: string | Buffer;
  content?: string | Buffer;
  /** 0 is stored, 8 is deflated. */
  method?: number;
  /** 0x800: the name is UTF-8; 1: encrypted. */
  flags?: number;
  /** Unix mode: 0o120777 is a link. */
  mode?: number;
  crc?: number;
  size?: number;
  compressedSize?: number;
  /** The claimed offset of the entry. */
  offset?: number;
  extra?: Buffer;
}

const UTF8 = 0x800;

/** Returns a hand-made zip; `entries` is the count in the end record. */
export function forge(list: Forged[], { entries = list.length }: { entries?: number } = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const each of list) {
    const {
      name,
      content = "content",
      method = 0,
      flags = UTF8,
      mode = 0o100644,
      extra = Buffer.alloc(0),
    } = each;
    const path = Buffer.from(name);
    const plain = Buffer.from(content);
    const data = method === 8 ? deflateRawSync(plain) : plain;
    const claims = Buffer.alloc(26);
    claims.writeUInt16LE(20, 0);
    claims.writeUInt16LE(flags, 2);
    claims.writeUInt16LE(method, 4);
    claims.writeUInt32LE(each.crc ?? crc32(plain), 10);
    claims.writeUInt32LE(each.compressedSize ?? data.length, 14);
    claims.writeUInt32LE(each.size ?? plain.length, 18);
    claims.writeUInt16LE(path.length, 22);
    claims.writeUInt16LE(extra.length, 24);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(each.offset ?? offset, 10);
    // Made by Unix, so that file modes apply.
    directory.push(Buffer.from("PK\x01\x02\x14\x03"), claims, rest, path, extra);
    const entry = [Buffer.from("PK\x03\x04"), claims, path, extra, data];
    parts.push(...entry);
    offset += Buffer.concat(entry).length;
  }
  const size = Buffer.concat(directory).length;
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries, 4);
  end.writeUInt16LE(entries, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, ...directory, Buffer.from("PK\x05\x06"), end]);
}
