import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { LIMITS } from "@easel/protocol/limits";
import { causeOf, UPLOAD_TIMEOUT_MS } from "../api/send.ts";
import type { Service } from "../api/service.ts";
import { fail } from "../exit.ts";

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
