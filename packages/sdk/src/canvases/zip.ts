import { BUNDLE_RATIO } from "@easel/protocol/bundle";
import { invalid } from "../errors.ts";
import { crc32 } from "./crc32.ts";

/** The data of a file in a zip: uncompressed (method 0) or deflated (method 8). `sum` is the CRC-32 of the uncompressed file. */
interface Packed {
  method: 0 | 8;
  sum: number;
  data: Blob;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
const UTF_8 = 0x800;
const UNIX = 3 << 8;
const REGULAR_FILE = 0o100644 << 16;
/** The date of every file: 1 January 1980, the earliest in a zip. The date is constant, so that equal files make equal zips. */
const DATE = 0x21;

/** Encodes numbers of 2 or 4 bytes, little-endian. */
const encode = (...fields: [bytes: 2 | 4, value: number][]) =>
  Uint8Array.from(
    fields.flatMap(([bytes, value]) => Array.from({ length: bytes }, (_, at) => (value >>> (8 * at)) & 0xff)),
  );

/** Creates a stream that deflates data, or returns undefined if the browser does not support it. */
function deflater(): CompressionStream | undefined {
  try {
    return new CompressionStream("deflate-raw");
  } catch {
    return undefined;
  }
}

/**
 * Computes the checksum of a file and deflates it, in one pass. Leaves it uncompressed if that is smaller, or if its compression ratio
 * is so high that the service would refuse it.
 */
async function pack(content: Blob, signal: AbortSignal | undefined): Promise<Packed> {
  let sum = 0;
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, output) {
      sum = crc32(chunk, sum);
      output.enqueue(chunk);
    },
  });
  const bytes = content.stream().pipeThrough(counter, signal && { signal });
  const deflate = deflater();
  if (deflate === undefined) {
    await bytes.pipeTo(new WritableStream());
    return { method: 0, sum, data: content };
  }
  const data = await new Response(bytes.pipeThrough(deflate)).blob();
  return data.size < content.size && content.size <= BUNDLE_RATIO * data.size
    ? { method: 8, sum, data }
    : { method: 0, sum, data: content };
}

/**
 * Makes a zip of files, one file at a time. Uncompressed files are not copied, and the browser may keep deflated ones on disk. The
 * caller must limit the number and the size of the files, because the zip has no zip64 fields. Throws 400 `INVALID_BODY` if a file
 * cannot be read.
 */
export async function zip(files: [path: string, content: Blob][], signal?: AbortSignal): Promise<Blob> {
  const parts: (Blob | Uint8Array<ArrayBuffer>)[] = [];
  const directory: (Blob | Uint8Array<ArrayBuffer>)[] = [];
  let offset = 0;
  let directorySize = 0;
  for (const [path, content] of files) {
    signal?.throwIfAborted();
    const { method, sum, data } = await pack(content, signal).catch((cause) => {
      signal?.throwIfAborted();
      throw invalid(`\`${path}\` cannot be read.`, cause);
    });
    const name = new TextEncoder().encode(path);
    const header = encode(
      [2, VERSION],
      [2, UTF_8],
      [2, method],
      [2, 0],
      [2, DATE],
      [4, sum],
      [4, data.size],
      [4, content.size],
      [2, name.length],
      [2, 0],
    );
    parts.push(encode([4, LOCAL]), header, name, data);
    directory.push(
      encode([4, CENTRAL], [2, UNIX | VERSION]),
      header,
      encode([2, 0], [2, 0], [2, 0], [4, REGULAR_FILE], [4, offset]),
      name,
    );
    offset += 30 + name.length + data.size;
    directorySize += 46 + name.length;
  }
  const { length } = files;
  const end = encode(
    [4, END],
    [2, 0],
    [2, 0],
    [2, length],
    [2, length],
    [4, directorySize],
    [4, offset],
    [2, 0],
  );
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}
