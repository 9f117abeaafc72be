import { openAsBlob } from "node:fs";
import pLimit from "p-limit";
import { Refusal } from "../api/refusal.ts";
import { UPLOAD_TIMEOUT_MS } from "../api/send.ts";
import type { Service } from "../api/service.ts";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import { count, formatBytes } from "../terminal/format.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { HashedFile } from "./manifest.ts";

/** The number of files that are uploaded at the same time. */
const UPLOADS_AT_ONCE = 6;

/** Identifies a staged deploy on the service. */
export interface StagedDeploy {
  canvasId: string;
  id: string;
}

/** Uploads a file. Throws a `Failure` if the file was changed or removed after it was hashed. */
async function uploadFile(
  url: string,
  { path, file }: { path: string; file: string },
  service: Service,
): Promise<void> {
  const headers = { "content-type": "application/octet-stream" };
  try {
    const body = await openAsBlob(file);
    await service.send(url, () => ({ method: "PUT", headers, body }), { timeoutMs: UPLOAD_TIMEOUT_MS });
  } catch (error) {
    const isOther = error instanceof Refusal && error.status === 400;
    const isGone =
      error instanceof Error &&
      (error.name === "NotReadableError" || ("code" in error && error.code === "ENOENT"));
    if (isOther || isGone)
      fail(`${clean(path)} changed during the deploy.`, { hint: "Run `easel deploy` again." });
    throw error;
  }
}

/** Uploads the files whose hashes are in `missing` to a staged deploy. Retries an upload if the connection breaks. */
export async function uploadFiles(
  { canvasId, id }: StagedDeploy,
  files: readonly HashedFile[],
  missing: readonly string[],
  service: Service,
  terminal: Terminal,
): Promise<void> {
  if (missing.length === 0) return;
  const byHash = new Map(files.map((file) => [file.sha256, file]));
  const sources = missing.map(
    (hash) => byHash.get(hash) ?? fail("The service asks for a file that is not in the folder."),
  );
  const total = sources.reduce((sum, { size }) => sum + size, 0);
  const progress = await terminal.progress(
    `Uploading ${count(sources.length, "file")}, ${formatBytes(total)}`,
    sources.length,
  );
  const limit = pLimit({ concurrency: UPLOADS_AT_ONCE, rejectOnClear: true });
  let done = 0;
  let bytes = 0;
  try {
    await limit.map(sources, async ({ path, file, size, sha256 }) => {
      await uploadFile(`/api/canvases/${canvasId}/deploys/${id}/blobs/${sha256}`, { path, file }, service);
      done += 1;
      bytes += size;
      progress.advance(
        1,
        `Uploading: ${done} of ${sources.length} files, ${formatBytes(bytes)} of ${formatBytes(total)}`,
      );
    });
    progress.done(`Uploaded ${count(sources.length, "file")}, ${formatBytes(total)}`);
  } catch (error) {
    limit.clearQueue();
    progress.stop();
    throw error;
  }
}
