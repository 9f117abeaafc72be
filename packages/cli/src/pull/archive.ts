import type { Readable } from "node:stream";
import { LIMITS } from "@easel/protocol/limits";
import { commonFolder } from "@easel/server/canvases/publishing/select-files";
import { type Entry, openPromise } from "yauzl";
import { fail } from "../exit.ts";
import { unportablePaths } from "../project/portable-path.ts";
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

/** Throws a `Failure` if some system cannot hold a path, such as one that leads out of the folder or to a dot file. */
function requirePortable(paths: readonly string[]): void {
  const [found] = unportablePaths(paths);
  if (found === undefined) return;
  const path = clean(found.path).slice(0, 200);
  fail(`The service sent a file whose path \`${path}\` ${clean(found.fault)}. Nothing was written.`, {
    hint: "Download the zip of the version instead, and unpack it where such names are allowed.",
  });
}

/**
 * Opens the zip of a version and lists its files. If one folder contains all files, removes it from their paths. Throws a `Failure` if the
 * zip is damaged or too large, or contains a path that some system cannot hold.
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
      return { path, size: entry.uncompressedSize, open: () => zip.openReadStreamPromise(entry) };
    });
    requirePortable(files.map(({ path }) => path));
    return { files, close: () => zip.close() };
  } catch (error) {
    zip.close();
    throw error instanceof Error && error.constructor === Error ? damaged(error) : error;
  }
}
