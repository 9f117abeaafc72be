import { openAsBlob } from "node:fs";
import { readFile } from "node:fs/promises";
import type { UploadedFiles } from "@easel/protocol/types";
import { uploadGroups } from "@easel/protocol/upload-groups";
import pLimit from "p-limit";
import { Refusal } from "../api/refusal.ts";
import { UPLOAD_TIMEOUT_MS } from "../api/send.ts";
import type { Service } from "../api/service.ts";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import { count, formatBytes } from "../terminal/format.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { HashedFile } from "./manifest.ts";

/** The number of requests that upload files at the same time. */
const UPLOADS_AT_ONCE = 6;
/** Identifies a staged deploy on the service. */
export interface StagedDeploy {
  canvasId: string;
  id: string;
}

const changed = (path: string): never =>
  fail(`${clean(path)} changed during the deploy.`, { hint: "Run `easel deploy` again." });

/** Throws a `Failure` if an error says that a file was changed or removed after it was hashed. Throws any other error as it is. */
function refuseChanged(error: unknown, path: string): never {
  const isOther = error instanceof Refusal && error.status === 400;
  const isGone =
    error instanceof Error &&
    (error.name === "NotReadableError" || ("code" in error && error.code === "ENOENT"));
  if (isOther || isGone) changed(path);
  throw error;
}

/** Uploads a file. */
async function uploadFile(url: string, { path, file, sha256 }: HashedFile, service: Service): Promise<void> {
  const headers = { "content-type": "application/octet-stream" };
  try {
    const body = await openAsBlob(file);
    await service.send(`${url}/${sha256}`, () => ({ method: "PUT", headers, body }), {
      timeoutMs: UPLOAD_TIMEOUT_MS,
    });
  } catch (error) {
    refuseChanged(error, path);
  }
}

/** Uploads several small files in one request. */
async function uploadTogether(url: string, files: readonly HashedFile[], service: Service): Promise<void> {
  const form = new FormData();
  for (const { path, file, sha256 } of files)
    form.set(sha256, new Blob([await readFile(file).catch((error) => refuseChanged(error, path))]));
  // The bytes of the form, because `fetch` throws outside of its promise when it stops to send one.
  const encoded = new Response(form);
  const headers = { "content-type": encoded.headers.get("content-type") ?? "" };
  const body = await encoded.arrayBuffer();
  const response = await service.send(url, () => ({ method: "POST", headers, body }), {
    timeoutMs: UPLOAD_TIMEOUT_MS,
    repeatable: true,
  });
  const { refused } = (await response.json()) as UploadedFiles;
  const other = files.find(({ sha256 }) => refused.some((each) => each.sha256 === sha256));
  if (other !== undefined) changed(other.path);
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
    const url = `/api/canvases/${canvasId}/deploys/${id}/blobs`;
    await limit.map(uploadGroups(sources), async (together) => {
      const [first] = together;
      if (first !== undefined && together.length === 1) await uploadFile(url, first, service);
      else await uploadTogether(url, together, service);
      done += together.length;
      bytes += together.reduce((sum, { size }) => sum + size, 0);
      progress.advance(
        together.length,
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
