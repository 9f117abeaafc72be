import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import type { Env } from "../../env.ts";
import type { Representation } from "../version-files.ts";
import type { BundleFile } from "./bundle.ts";
import { isCompressible, mimeOf } from "./mime.ts";

/** Below this, headers outweigh what compression saves. */
const WORTH_COMPRESSING = 512;
/** The best compression takes long and is done in memory: larger files get a quicker one, as streams. */
const SMALL = 256 * 1024;

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;

const whole = {
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

/** A compressed variant of a file; none where it saves next to nothing. */
async function variant(
  plain: Representation,
  encoding: "br" | "gzip",
  env: Env,
): Promise<Representation | undefined> {
  if (plain.size <= SMALL) {
    const bytes = Buffer.concat(await (await read(plain, env)).toArray());
    const compressed = await env.compressions.run(() => whole[encoding](bytes));
    if (!saves({ size: compressed.length }, plain)) return undefined;
    return { ...plain, encoding, ...(await env.blobs.put(Readable.from([compressed]))) };
  }
  return env.compressions.run(async () => {
    const compressed = pipeline(await read(plain, env), streamed[encoding](plain.size), () => {});
    const stored = { ...plain, encoding, ...(await env.blobs.put(compressed)) };
    return saves(stored, plain) ? stored : undefined;
  });
}

/** Stores a file of a bundle, and what compression makes of it where that saves something. Every byte is durable afterwards. */
export async function storeFile(file: BundleFile, env: Env): Promise<Representation[]> {
  const mime = mimeOf(file.path);
  const stored = await env.blobs.put(await file.open());
  const plain: Representation = { path: file.path, encoding: "identity", mime, ...stored };
  if (plain.size < WORTH_COMPRESSING || !isCompressible(mime)) return [plain];
  const variants = await Promise.all([variant(plain, "br", env), variant(plain, "gzip", env)]);
  return [plain, ...variants.filter((each) => each !== undefined)];
}
