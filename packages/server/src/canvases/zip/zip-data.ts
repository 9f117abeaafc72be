import { pipeline, Readable } from "node:stream";
import { crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import { refuse } from "../../http/refusal.ts";
import { DEFLATED } from "./central-header.ts";
import type { ZipEntry } from "./zip-check.ts";
import type { ZipSource } from "./zip-source.ts";

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
