import { pipeline } from "node:stream";
import { constants, createBrotliCompress, createGzip } from "node:zlib";
import { sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { newId } from "../kit/ids.ts";
import { inParallel } from "../kit/parallel.ts";
import { Refusal, refuse } from "../kit/refusal.ts";
import type { BundleFile } from "./bundle.ts";
import { isCompressible, mimeOf } from "./mime.ts";
import { publishing } from "./versions.ts";

/** One way to send a file. */
export interface Representation {
  path: string;
  encoding: "identity" | "br" | "gzip";
  mime: string;
  key: string;
  size: number;
}

/** Below this, headers outweigh what compression saves. */
const WORTH_COMPRESSING = 512;
/** The best compression takes long: larger files get a quicker one. */
const BEST_UP_TO = 256 * 1024;

const compressor = {
  br: (size: number) =>
    createBrotliCompress({
      params: {
        [constants.BROTLI_PARAM_QUALITY]: size <= BEST_UP_TO ? 11 : 6,
        [constants.BROTLI_PARAM_SIZE_HINT]: size,
      },
    }),
  gzip: (size: number) => createGzip({ level: size <= BEST_UP_TO ? 9 : 6 }),
};

async function storeFile(file: BundleFile, env: Env): Promise<Representation[]> {
  const mime = mimeOf(file.path);
  const plain = {
    path: file.path,
    encoding: "identity" as const,
    mime,
    ...(await env.blobs.put(await file.open())),
  };
  if (plain.size < WORTH_COMPRESSING || !isCompressible(mime)) return [plain];
  const variants = await Promise.all(
    (["br", "gzip"] as const).map(async (encoding) => {
      const source = await env.blobs.get(plain.key);
      if (source === null) throw new Error(`Blob ${plain.key} has just been stored and is not there`);
      const compressed = pipeline(source, compressor[encoding](plain.size), () => {});
      return { ...plain, encoding, ...(await env.blobs.put(compressed)) };
    }),
  );
  return [plain, ...variants.filter((variant) => variant.size < 0.95 * plain.size)];
}

/** Stores the files of a bundle, compressed where that saves something. Every byte is durable when the promise resolves. */
export async function storeFiles(files: BundleFile[], env: Env): Promise<Representation[]> {
  return (await inParallel(files, 4, (file) => storeFile(file, env)).catch(asRefusal)).flat();
}

/** Makes stored files a new immutable version of a canvas and the current one, at once or not at all; answers its id. */
export async function publishFiles(
  canvasId: string,
  by: string,
  stored: Representation[],
  env: Env,
): Promise<string> {
  const version = newId();
  const now = env.clock();
  const plain = stored.filter((each) => each.encoding === "identity");
  const bytes = plain.reduce((sum, each) => sum + each.size, 0);
  const steps = [
    sql`insert into versions (id, canvas_id, created_at, created_by, files, bytes)
      values (${version}, ${canvasId}, ${now}, ${by}, ${plain.length}, ${bytes})`,
    ...stored.map(
      ({ path, encoding, mime, key, size }) => sql`
        insert into version_files (version_id, path, encoding, mime, blob_key, size)
        values (${version}, ${path}, ${encoding}, ${mime}, ${key}, ${size})`,
    ),
    ...publishing(canvasId, version, now),
  ];
  // The canvas may have been deleted or disabled while its files were stored.
  if ((await env.db.batch(steps)).length !== steps.length) refuse("NOT_FOUND");
  return version;
}

/** What goes wrong while a bundle is unpacked is about the bundle, unless the disk says so. */
function asRefusal(error: NodeJS.ErrnoException): never {
  if (error instanceof Refusal || error instanceof TypeError || error.syscall !== undefined) throw error;
  return refuse("INVALID_BODY", { message: `The bundle cannot be unpacked: ${error.message}.` });
}
