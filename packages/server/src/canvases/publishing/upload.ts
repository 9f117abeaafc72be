import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { LIMITS } from "@easel/protocol/limits";
import { whileSpace } from "../../disk/disk-space.ts";
import { makeDirectory } from "../../disk/private-files.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";

/** Returns the directory of uploaded bundles, each of which is kept until it has been unpacked. */
export const uploadsOf = ({ config }: Env): string => path.join(config.dataDir, "uploads");

/** The maximum size of an upload in bytes, and what a larger one throws. */
interface SizeLimit {
  bytes: number;
  refuse(): never;
}

/** The code and the message of a bundle that is too large are those of specification 7. */
const BUNDLE_LIMIT: SizeLimit = {
  bytes: LIMITS.bundleBytes.value,
  refuse: () => refuse("INVALID_BODY", { message: "bundle too large" }, 413),
};

function requireSize(size: number, limit: SizeLimit): void {
  if (size > limit.bytes) limit.refuse();
}

async function* upTo(limit: SizeLimit, source: AsyncIterable<Uint8Array>) {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    requireSize(size, limit);
    yield chunk;
  }
}

/**
 * Writes an upload to a temporary file, because a zip is read from its end. Calls `use` with the path, and deletes the file when
 * `use` has finished. `size` is the length in bytes that the client declares, or 0 if it declares none. Throws as `limit` says for more, by
 * default 413 `INVALID_BODY` for more than 50 MiB.
 */
export async function withUpload<Result>(
  source: AsyncIterable<Uint8Array>,
  size: number,
  env: Env,
  use: (file: string) => Promise<Result>,
  limit: SizeLimit = BUNDLE_LIMIT,
): Promise<Result> {
  requireSize(size, limit);
  const folder = uploadsOf(env);
  await makeDirectory(folder);
  const file = path.join(folder, `${randomUUID()}.zip`);
  // A stream that opens its file by itself may still do so after the upload has failed and the file has been removed.
  const handle = await open(file, "wx", 0o600);
  try {
    const body = whileSpace(upTo(limit, source), folder, env.config.diskReserve);
    await pipeline(body, handle.createWriteStream());
    return await use(file);
  } finally {
    await rm(file, { force: true });
  }
}
