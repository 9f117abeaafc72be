import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import type { Env } from "../../env.ts";
import type { BlobSize, BundleBlob } from "../bundle-blobs.ts";
import { isCompressible } from "./mime.ts";

/** The smallest file that is compressed, in bytes. */
const MIN_COMPRESSED_BYTES = 512;
/**
 * The maximum size in bytes of a file that is compressed in memory, at the highest level. Larger files are streamed and compressed at a
 * faster level.
 */
export const MAX_IN_MEMORY_BYTES = 256 * 1024;

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;

const inMemory = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: { [BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
};

const streamed = {
  br: (size: number) =>
    createBrotliCompress({ params: { [BROTLI_PARAM_QUALITY]: 6, [BROTLI_PARAM_SIZE_HINT]: size } }),
  gzip: () => createGzip({ level: 6 }),
};

const saves = ({ size }: { size: number }, plain: BlobSize) => size < 0.95 * plain.size;

async function read({ key }: BlobSize, { blobs }: Env): Promise<Readable> {
  const source = await blobs.get(key);
  if (source === null) throw new Error(`Blob ${key} of a bundle is not there`);
  return source;
}

/**
 * Stores a compressed copy of a blob, and returns the key and the size of the copy. Returns null if the copy would not be more than 5 %
 * smaller. `bytes` is the content of the blob, or null to stream the content from the blob store.
 */
async function variant(
  plain: BlobSize,
  bytes: Buffer | null,
  encoding: "br" | "gzip",
  env: Env,
): Promise<BlobSize | null> {
  if (bytes !== null) {
    const compressed = await env.compressions.run("all", () => inMemory[encoding](bytes));
    if (!saves({ size: compressed.length }, plain)) return null;
    return env.blobs.put(Readable.from([compressed]));
  }
  return env.compressions.run("all", async () => {
    const compressed = pipeline(await read(plain, env), streamed[encoding](plain.size), () => {});
    const stored = await env.blobs.put(compressed);
    return saves(stored, plain) ? stored : null;
  });
}

/** Whether a file of this media type and size (in bytes) is worth compressing. */
export const isWorthCompressing = (mime: string, size: number): boolean =>
  size >= MIN_COMPRESSED_BYTES && isCompressible(mime);

/** Compresses a stored blob with Brotli and gzip. Stores the results durably, and returns those that save more than 5 %. */
export async function compress({ key, size }: BlobSize, env: Env): Promise<BundleBlob> {
  const plain = { key, size };
  const bytes = size <= MAX_IN_MEMORY_BYTES ? Buffer.concat(await (await read(plain, env)).toArray()) : null;
  const [br, gzip] = await Promise.all([
    variant(plain, bytes, "br", env),
    variant(plain, bytes, "gzip", env),
  ]);
  return { key, size, compressed: true, br, gzip };
}
