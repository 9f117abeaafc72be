import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { LIMITS } from "@easel/protocol/limits";
import { commonFolder } from "@easel/server/bundle-files";
import { type Entry, openPromise } from "yauzl";
import { causeOf, UPLOAD_TIMEOUT_MS } from "../api/send.ts";
import type { Service } from "../api/service.ts";
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

/** The maximum number of attempts to download a zip. */
const MAX_TRIES = 3;

/** The maximum size of the zip of a version: the maximum unpacked size, and 4 KiB for the zip headers of each file. */
const MAX_BYTES = LIMITS.bundleUnpackedBytes.value + LIMITS.bundleEntries.value * 4096;

/** Yields the chunks unchanged. Throws a `Failure` if they exceed `MAX_BYTES`. */
async function* limited(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) fail("The service sends more than a version can have.");
    yield chunk;
  }
}

/** Downloads the zip of a version to a file. Starts again if the connection breaks. */
export async function downloadVersion(
  canvasId: string,
  version: string,
  file: string,
  service: Service,
  signal: AbortSignal,
): Promise<void> {
  const path = `/api/canvases/${encodeURIComponent(canvasId)}/versions/${encodeURIComponent(version)}/bundle`;
  for (let tries = 1; ; tries += 1) {
    const { body } = await service.send(path, () => ({}), { timeoutMs: UPLOAD_TIMEOUT_MS });
    try {
      const chunks = Readable.fromWeb(body as ReadableStream<Buffer>);
      return await pipeline(chunks, limited, createWriteStream(file), { signal });
    } catch (error) {
      // If the connection breaks during the body, `fetch` fails with a TypeError.
      const isBroken = error instanceof TypeError || (error as Error).name === "TimeoutError";
      if (signal.aborted || !isBroken) throw error;
      if (tries >= MAX_TRIES)
        fail(`${service.url} cannot be reached: ${causeOf(error)}.`, { exit: "unreachable" });
    }
  }
}
