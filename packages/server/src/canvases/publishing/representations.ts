import { createHash, hash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import { lookup } from "mrmime";
import { whileSpace } from "../../disk/disk-space.ts";
import { makeDirectory } from "../../disk/private-files.ts";
import type { ClaimedBlob } from "../../drivers/blob-references.ts";
import type { BlobSize } from "../../drivers/blobs/blobs.ts";
import type { Env } from "../../env.ts";
import { uploadsOf } from "./upload.ts";

/** Media types by file extension. They replace the media types that `mrmime` has for these extensions. */
const OVERRIDES = new Map([
  ["ts", "text/plain"],
  ["tsx", "text/plain"],
  ["mts", "text/plain"],
  ["cts", "text/plain"],
  ["jsx", "text/plain"],
  ["js", "text/javascript"],
  ["mjs", "text/javascript"],
  ["cjs", "text/javascript"],
  ["ico", "image/x-icon"],
]);

/** Returns the `Content-Type` of a path, with its charset. */
export function mimeOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const ending = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "";
  // `lookup` reads a plain object, which inherits properties such as `constructor`, so its result may not be a string.
  const known: unknown = OVERRIDES.get(ending) ?? lookup(ending);
  const type = typeof known === "string" ? known : "application/octet-stream";
  return isText(type) ? `${type}; charset=utf-8` : type;
}

const isText = (type: string) =>
  type.startsWith("text/") || /^application\/(json|xml|manifest\+json|ld\+json)$|\+xml$/.test(type);

/** Whether content of this type is worth compressing. */
export const isCompressible = (type: string): boolean =>
  isText(type.split(";")[0] ?? "") || /^(application\/wasm|font\/(ttf|otf)|image\/(bmp|x-icon))/.test(type);

/** The smallest file that is compressed, in bytes. */
const MIN_COMPRESSED_BYTES = 512;
/** The maximum size in bytes of a file that is read into memory, to be hashed or compressed. Larger files are streamed. */
export const MAX_IN_MEMORY_BYTES = 256 * 1024;

/** How much effort compression takes: files in memory take about 20 times as long with "best", and get a fifth smaller. */
export type Effort = "best" | "fast";

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;

const LEVELS = { best: { br: 11, gzip: 9 }, fast: { br: 5, gzip: 6 } };

const brotli = (size: number, level: number) => ({
  params: { [BROTLI_PARAM_QUALITY]: level, [BROTLI_PARAM_SIZE_HINT]: size },
});

const inMemory = {
  br: (bytes: Buffer, level: number) => promisify(brotliCompress)(bytes, brotli(bytes.length, level)),
  gzip: (bytes: Buffer, level: number) => promisify(gzip)(bytes, { level }),
};

const streamed = {
  br: (size: number, level: number) => createBrotliCompress(brotli(size, level)),
  gzip: (_size: number, level: number) => createGzip({ level }),
};

/** Stores a compressed copy of a blob, and returns it with its claim. Returns null if the copy does not fit into the owner's quota. */
export type StoreCopy = (
  copy: BlobSize,
  source: () => AsyncIterable<Uint8Array>,
) => Promise<ClaimedBlob | null>;

/** The maximum size of a compressed copy that is kept: a larger one would save less than 5 %. */
const maxSizeOf = ({ size }: BlobSize): number => Math.ceil(0.95 * size) - 1;

/** Whether a file of this media type and size (in bytes) is worth compressing. */
export const isWorthCompressing = (mime: string, size: number): boolean =>
  size >= MIN_COMPRESSED_BYTES && isCompressible(mime);

async function read({ key }: BlobSize, { blobs }: Env): Promise<Readable> {
  const source = await blobs.get(key);
  if (source === null) throw new Error(`Blob ${key} of a bundle is not there`);
  return source;
}

/** Thrown when a compressed stream has become longer than a copy may be. */
class SavesTooLittle extends Error {}

/** Compresses a blob into a temporary file, and stores that. Returns null if the copy is not kept. */
async function streamCopy(
  plain: BlobSize,
  encoding: "br" | "gzip",
  store: StoreCopy,
  signal: AbortSignal,
  env: Env,
): Promise<ClaimedBlob | null> {
  const folder = uploadsOf(env);
  await makeDirectory(folder);
  const file = path.join(folder, `${randomUUID()}.${encoding}`);
  const sha256 = createHash("sha256");
  let size = 0;
  async function* measured(source: AsyncIterable<Uint8Array>) {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > maxSizeOf(plain)) throw new SavesTooLittle();
      sha256.update(chunk);
      yield chunk;
    }
  }
  try {
    await pipeline(
      await read(plain, env),
      streamed[encoding](plain.size, LEVELS.fast[encoding]),
      measured,
      (source: AsyncIterable<Uint8Array>) => whileSpace(source, folder, env.config.diskReserve),
      createWriteStream(file, { flags: "wx", mode: 0o600 }),
      { signal },
    );
    return await store({ key: sha256.digest("hex"), size }, () => createReadStream(file));
  } catch (error) {
    if (error instanceof SavesTooLittle) return null;
    throw error;
  } finally {
    await rm(file, { force: true });
  }
}

async function copyInMemory(
  plain: BlobSize,
  bytes: Buffer,
  [encoding, effort]: ["br" | "gzip", Effort],
  store: StoreCopy,
): Promise<ClaimedBlob | null> {
  const copy = await inMemory[encoding](bytes, LEVELS[effort][encoding]);
  if (copy.length > maxSizeOf(plain)) return null;
  const key = hash("sha256", copy, "hex");
  return store({ key, size: copy.length }, () => Readable.from([copy]));
}

/**
 * Compresses a blob with Brotli and then with gzip, and passes each copy that saves more than 5 % to `store`. Returns what `store` returns,
 * or null for a copy that saves less. Uses one thread of Node's pool at a time. Rejects if the blob cannot be read, or `signal` aborts.
 */
export async function compress(
  plain: BlobSize,
  effort: Effort,
  store: StoreCopy,
  signal: AbortSignal,
  env: Env,
): Promise<{ br: ClaimedBlob | null; gzip: ClaimedBlob | null }> {
  if (plain.size > MAX_IN_MEMORY_BYTES) {
    const br = await streamCopy(plain, "br", store, signal, env);
    return { br, gzip: await streamCopy(plain, "gzip", store, signal, env) };
  }
  const bytes = Buffer.concat(await (await read(plain, env)).toArray());
  const br = await copyInMemory(plain, bytes, ["br", effort], store);
  signal.throwIfAborted();
  return { br, gzip: await copyInMemory(plain, bytes, ["gzip", effort], store) };
}
