import { createHash, hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { type CanvasContent, mimeOf, refuse, type ServedFile } from "@easel/server";
import { readFolder } from "../deploy/folder.ts";
import { Failure } from "../exit.ts";

/**
 * The maximum size of a file that is read into memory as a whole, so that a response never mixes the content before and after a save.
 * Larger files are streamed.
 */
const MAX_IN_MEMORY_BYTES = 4 * 1024 * 1024;

interface Found extends ServedFile {
  file: string;
  bytes?: Buffer;
}

/**
 * Serves the files of a folder that a deploy would publish, straight from the disk. The folder is listed again after `refresh`, and when a
 * file is missing.
 */
export class FolderContent implements CanvasContent {
  readonly #folder: string;
  #listing: Promise<Map<string, string>> | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Discards the list of files. Must be called when files were added or removed. */
  refresh(): void {
    this.#listing = null;
  }

  /** Maps the path of each file that a deploy would publish to its path on the disk. Throws a `Failure` if a deploy would be refused. */
  list(): Promise<Map<string, string>> {
    this.#listing ??= readFolder(this.#folder).then(
      ({ files }) => new Map(files.map(({ path, file }) => [path, file])),
    );
    return this.#listing;
  }

  cached(): undefined {
    return undefined;
  }

  async find(_version: string, paths: [string, string, string]): Promise<Map<string, ServedFile[]>> {
    const known = await this.#lookUp(paths);
    if (known.has(paths[0])) return known;
    // The list may lack a file that was just added.
    this.refresh();
    return this.#lookUp(paths);
  }

  async open(file: ServedFile, range?: { start: number; end: number }): Promise<Buffer | Readable> {
    const { bytes, file: name } = file as Found;
    if (bytes !== undefined) return range === undefined ? bytes : bytes.subarray(range.start, range.end + 1);
    return createReadStream(name, range);
  }

  async #lookUp(paths: string[]): Promise<Map<string, ServedFile[]>> {
    const listing = await this.list().catch((error: unknown) => {
      this.refresh();
      if (error instanceof Failure) refuse("NOT_FOUND", { message: error.message });
      throw error;
    });
    const found = new Map<string, ServedFile[]>();
    for (const path of paths) {
      const file = listing.get(path);
      const served = file === undefined ? null : await servedFile(path, file);
      if (served !== null) found.set(path, [served]);
    }
    return found;
  }
}

/** Reads a file, or only its size if it is large. Returns null if it is gone. */
async function servedFile(path: string, file: string): Promise<Found | null> {
  const common = { path, file, encoding: "identity" as const, mime: mimeOf(path) };
  try {
    const { size, mtimeMs } = await stat(file);
    if (size > MAX_IN_MEMORY_BYTES)
      return {
        ...common,
        size,
        key: createHash("sha256").update(`${file}\0${size}\0${mtimeMs}`).digest("hex"),
      };
    const bytes = await readFile(file);
    return { ...common, size: bytes.length, key: hash("sha256", bytes, "hex"), bytes };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
