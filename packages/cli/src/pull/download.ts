import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { LIMITS } from "@easel/protocol/limits";
import { causeOf, UPLOAD_TIMEOUT_MS } from "../api/send.ts";
import type { Service } from "../api/service.ts";
import { fail } from "../exit.ts";

/** The number of times that a download is begun at most. */
const MAX_TRIES = 3;

/** The most bytes that a zip of a version can have: the unpacked size of its files, and a record for each of them. */
const MAX_BYTES = LIMITS.bundleUnpackedBytes.value + LIMITS.bundleEntries.value * 4096;

/** Passes chunks on. Throws a `Failure` if they are more than the zip of a version can have. */
async function* limited(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) fail("The service sends more than a version can have.");
    yield chunk;
  }
}

/** Downloads the zip of a version to a file. Begins again after a broken connection. */
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
      // The body of a response that breaks off fails with a TypeError of `fetch`.
      const isBroken = error instanceof TypeError || (error as Error).name === "TimeoutError";
      if (signal.aborted || !isBroken) throw error;
      if (tries >= MAX_TRIES)
        fail(`${service.url} cannot be reached: ${causeOf(error)}.`, { exit: "unreachable" });
    }
  }
}
