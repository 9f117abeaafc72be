import { hash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
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

/** The encodings in which the build writes a file, by what it adds to its name. */
const ENCODINGS = { "": "identity", ".br": "br", ".gz": "gzip" } as const;

/** A file of the built dashboard in one encoding. */
interface Encoded {
  encoding: (typeof ENCODINGS)[keyof typeof ENCODINGS];
  size: number;
  etag: string;
  bytes: Buffer;
}

/** Reads a file in all encodings that the build has written. */
async function readEncodings(file: string): Promise<Encoded[]> {
  const found = Object.entries(ENCODINGS).map(async ([ending, encoding]): Promise<Encoded[]> => {
    const exists = ending === "" || (await stat(file + ending).catch(() => null)) !== null;
    if (!exists) return [];
    const bytes = await readFile(file + ending);
    const etag = `"${hash("sha256", bytes, "hex").slice(0, 32)}"`;
    return [{ encoding, size: bytes.length, etag, bytes }];
  });
  return (await Promise.all(found)).flat();
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
    return new Set(names.filter((name) => path.extname(name) in TYPES));
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
