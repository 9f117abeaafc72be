import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliDecompress, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { chooseRepresentation } from "../content/served-files.ts";
import { refuse } from "../http/refusal.ts";
import { isFresh } from "../http/request-headers.ts";

/** The media types of the files of the built dashboard, by the ends of their names. */
const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "application/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** What the build adds to the name of a file that it has compressed with Brotli. The package of the service has only these files. */
const COMPRESSED = ".br";

/** A file of the built dashboard in one encoding. */
interface Encoded {
  encoding: "identity" | "br" | "gzip";
  size: number;
  etag: string;
  bytes: Buffer;
}

/** Returns a file in one encoding. */
function encoded(encoding: Encoded["encoding"], bytes: Buffer): Encoded {
  return { encoding, size: bytes.length, etag: `"${hash("sha256", bytes, "hex").slice(0, 32)}"`, bytes };
}

/** Reads a file. Returns it in all encodings if the build has compressed it, otherwise as it is. */
async function readEncodings(file: string): Promise<Encoded[]> {
  const compressed = await readFile(file + COMPRESSED).catch(() => null);
  if (compressed === null) return [encoded("identity", await readFile(file))];
  const bytes = await promisify(brotliDecompress)(compressed);
  const forOthers = await promisify(gzip)(bytes, { level: 9 });
  return [encoded("identity", bytes), encoded("br", compressed), encoded("gzip", forOthers)];
}

/**
 * The files of the built dashboard. The names of its assets contain the hashes of their bytes. Files are read when they are first requested, and
 * kept in memory: less than a megabyte in all.
 */
export class BuiltFiles {
  readonly #folder: string;
  readonly #read = new Map<string, Promise<Encoded[]>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The names of the files below `assets`. Empty if the dashboard has not been built. */
  async assets(): Promise<Set<string>> {
    const names = await readdir(path.join(this.#folder, "assets")).catch(() => []);
    const originals = names.map((name) => (name.endsWith(COMPRESSED) ? path.parse(name).name : name));
    return new Set(originals.filter((name) => path.extname(name) in TYPES));
  }

  /** Sends a file, whose `name` is known to exist in the build, in the encoding that the client prefers. */
  async send(
    name: string,
    caching: string,
    { headers }: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { encoding, etag, bytes } = chooseRepresentation(await this.#encodings(name), headers);
    reply.headers({ etag, vary: "Accept-Encoding", "cache-control": caching });
    if (isFresh(headers, etag)) return reply.code(304).send();
    if (encoding !== "identity") reply.header("content-encoding", encoding);
    return reply.type(TYPES[path.extname(name)] as string).send(bytes);
  }

  #encodings(name: string): Promise<Encoded[]> {
    let encodings = this.#read.get(name);
    if (encodings === undefined) {
      encodings = readEncodings(path.join(this.#folder, name)).catch((error: NodeJS.ErrnoException) => {
        this.#read.delete(name);
        if (error.code !== "ENOENT") throw error;
        return refuse("UNAVAILABLE", { message: "The dashboard has not been built: npm run build" });
      });
      this.#read.set(name, encodings);
    }
    return encodings;
  }
}
