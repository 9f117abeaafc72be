import type { CanvasContent } from "../drivers/canvas-content.ts";
import type { Env } from "../env.ts";
import { BlobCache } from "./blob-cache.ts";
import { ServedFiles, streamBlob } from "./served-files.ts";

/** Returns the content of the versions that are stored in the database and the blob store. Caches files and small blobs. */
export function storedContent(env: Env): CanvasContent {
  const files = new ServedFiles(env);
  const blobs = new BlobCache();
  return {
    cached: (version, path) => files.cached(version, path),
    find: (version, paths) => files.find(version, paths),
    open: (file, range) => (range === undefined ? blobs.open(file, env) : streamBlob(file, range, env)),
  };
}
