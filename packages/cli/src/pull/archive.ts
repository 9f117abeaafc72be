import type { Readable } from "node:stream";
import { pathFault } from "@easel/protocol/bundle";
import { LIMITS } from "@easel/protocol/limits";
import { hasDotFile } from "@easel/server/canvases/publishing/left-out";
import { commonFolder } from "@easel/server/canvases/publishing/select-files";
import { type Entry, openPromise } from "yauzl";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";

/** A file of a zip. Its path is relative, has forward slashes, and leads neither out of the folder nor to a dot file. */
export interface ArchivedFile {
  path: string;
  size: number;
  open(): Promise<Readable>;
}

/** An open zip. Its files can be read until `close` is called. */
export interface Archive {
  files: ArchivedFile[];
  close(): void;
}

/** Throws a `Failure` for a path that a canvas cannot have, such as one that leads out of the folder or to a dot file. */
function requireSafePath(path: string): void {
  const fault = pathFault(path) ?? (hasDotFile(path) ? "leads to a dot file" : undefined);
  if (fault !== undefined)
    fail(`The service sent a file whose path \`${clean(path).slice(0, 200)}\` ${fault}.`);
}

/**
 * Opens the zip of a version and lists its files. If one folder contains all files, removes it from their paths. Throws a `Failure` if the
 * zip is damaged or too large, or contains a path that a canvas cannot have.
 */
export async function openArchive(file: string): Promise<Archive> {
  const damaged = (error: Error) => fail(`The service sent a damaged zip: ${clean(error.message)}.`);
  const zip = await openPromise(file, { autoClose: false, lazyEntries: true, strictFileNames: true }).catch(
    damaged,
  );
  try {
    const entries: Entry[] = [];
    let bytes = 0;
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith("/")) continue;
      entries.push(entry);
      bytes += entry.uncompressedSize;
      if (entries.length > LIMITS.bundleEntries.value || bytes > LIMITS.bundleUnpackedBytes.value)
        fail("The service sent more than a version can have.");
    }
    const around = commonFolder(entries.map(({ fileName }) => fileName));
    const files = entries.map((entry) => {
      const path = entry.fileName.slice(around.length);
      requireSafePath(path);
      return { path, size: entry.uncompressedSize, open: () => zip.openReadStreamPromise(entry) };
    });
    return { files, close: () => zip.close() };
  } catch (error) {
    zip.close();
    throw error instanceof Error && error.constructor === Error ? damaged(error) : error;
  }
}
