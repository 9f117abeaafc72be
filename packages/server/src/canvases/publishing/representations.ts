import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import type { Env } from "../../env.ts";
import type { Representation } from "../version-files.ts";
import type { BundleFile } from "./bundle.ts";
import { isCompressible, mimeOf } from "./mime.ts";

/** The smallest file that is compressed, in bytes. */
const MIN_COMPRESSED_BYTES = 512;
/** The largest file that is compressed in memory at the highest level, in bytes; larger ones are streamed at a faster level. */
const MAX_IN_MEMORY_BYTES = 256 * 1024;

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

const saves = ({ size }: { size: number }, plain: Representation) => size < 0.95 * plain.size;

async function read({ key }: Representation, { blobs }: Env): Promise<Readable> {
  const source = await blobs.get(key);
  if (source === null) throw new Error(`Blob ${key} has just been stored and is not there`);
  return source;
}

/** Stores a compressed variant of a file. Returns undefined if it does not save more than 5 %. */
async function variant(
  plain: Representation,
  encoding: "br" | "gzip",
  env: Env,
): Promise<Representation | undefined> {
  if (plain.size <= MAX_IN_MEMORY_BYTES) {
    const bytes = Buffer.concat(await (await read(plain, env)).toArray());
    const compressed = await env.compressions.run(() => inMemory[encoding](bytes));
    if (!saves({ size: compressed.length }, plain)) return undefined;
    return { ...plain, encoding, ...(await env.blobs.put(Readable.from([compressed]))) };
  }
  return env.compressions.run(async () => {
    const compressed = pipeline(await read(plain, env), streamed[encoding](plain.size), () => {});
    const stored = { ...plain, encoding, ...(await env.blobs.put(compressed)) };
    return saves(stored, plain) ? stored : undefined;
  });
}

/** Stores a file of a bundle and its compressed variants. All are durable when the promise resolves. */
export async function storeFile(file: BundleFile, env: Env): Promise<Representation[]> {
  const mime = mimeOf(file.path);
  const stored = await env.blobs.put(await file.open());
  const plain: Representation = { path: file.path, encoding: "identity", mime, ...stored };
  if (plain.size < MIN_COMPRESSED_BYTES || !isCompressible(mime)) return [plain];
  const variants = await Promise.all([variant(plain, "br", env), variant(plain, "gzip", env)]);
  return [plain, ...variants.filter((each) => each !== undefined)];
}
