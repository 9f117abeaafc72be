import { uploadGroups } from "@easel/protocol/upload-groups";
import { ApiError } from "../api/api-error.ts";
import { api, bodyOf } from "../api/client.ts";
import { type HashedFile, inParallel } from "./hash.ts";
import { BadOffer } from "./offered.ts";
import { type Patience, patiently } from "./patience.ts";
import { upload } from "./upload.ts";

/** The number of requests that upload files at the same time. */
const UPLOADS_AT_ONCE = 6;

/** A staged deploy: its id, the hashes of the files that the service still lacks, and its warnings. */
export interface Staged {
  id: string;
  missing: string[];
}

/** Begins a staged deploy: tells the service all paths, hashes and sizes. Without `expectedVersion`, any version may be the published one. */
export const stage = (
  canvasId: string,
  files: readonly HashedFile[],
  expectedVersion: string | null | undefined,
): Promise<Staged> =>
  bodyOf(
    api.POST("/api/canvases/{id}/deploys", {
      params: { path: { id: canvasId } },
      body: {
        files: files.map(({ path, sha256, size }) => ({ path, sha256, size })),
        ...(expectedVersion === undefined ? {} : { expectedVersion }),
      },
    }),
  );

/** Returns a staged deploy that was begun before. Returns null if it has expired, is finished or is somebody else's. */
export async function resume(canvasId: string, deploy: string): Promise<Staged | null> {
  try {
    const params = { path: { id: canvasId, deploy } };
    const { missing } = await bodyOf(api.GET("/api/canvases/{id}/deploys/{deploy}", { params }));
    return { id: deploy, missing };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Ends a staged deploy without publishing it. Does nothing if it has ended. */
export async function cancelStaged(canvasId: string, deploy: string): Promise<void> {
  const params = { path: { id: canvasId, deploy } };
  await api.DELETE("/api/canvases/{id}/deploys/{deploy}", { params }).catch((error) => {
    if (!(error instanceof ApiError)) throw error;
  });
}

/** Stores a staged deploy as a version and, if `publish` is true, publishes it. */
export const finish = (canvasId: string, deploy: string, publish: boolean) =>
  bodyOf(
    api.POST("/api/canvases/{id}/deploys/{deploy}/finish", {
      params: { path: { id: canvasId, deploy } },
      body: { publish },
    }),
  );

const hasChanged = (path: string): never => {
  throw new BadOffer(`${path} changed meanwhile.`, "Choose the folder again.");
};

/** Whether a browser refuses to read a file because it was changed or removed since it was chosen. */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof DOMException && ["NotReadableError", "NotFoundError"].includes(error.name);

/** Uploads the files of one request: a large one alone, small ones as a form. */
async function uploadGroup(
  url: string,
  group: readonly HashedFile[],
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<void> {
  const [first] = group;
  if (first === undefined) return;
  if (group.length === 1) {
    const path = `${url}/${first.sha256}`;
    try {
      await upload(
        { method: "PUT", path, type: "application/octet-stream", body: first.file },
        signal,
        onSent,
      );
    } catch (error) {
      if (error instanceof ApiError && error.status === 400) hasChanged(first.path);
      throw error;
    }
    return;
  }
  const body = new FormData();
  for (const { sha256, file } of group) body.set(sha256, file);
  const response = await upload({ method: "POST", path: url, type: null, body }, signal, onSent);
  const { refused } = (await response.json()) as { refused: { sha256: string }[] };
  const other = group.find(({ sha256 }) => refused.some((each) => each.sha256 === sha256));
  if (other !== undefined) hasChanged(other.path);
}

/** Uploads the files that a staged deploy lacks. Calls `onSent` with the number of bytes that it has of them. */
export async function uploadMissing(
  canvasId: string,
  { id, missing }: Staged,
  files: readonly HashedFile[],
  patience: Patience,
  onSent: (bytes: number) => void,
): Promise<void> {
  const byHash = new Map(files.map((file) => [file.sha256, file]));
  const groups = uploadGroups(missing.flatMap((hash) => byHash.get(hash) ?? []));
  const sent = groups.map(() => 0);
  const url = `/api/canvases/${canvasId}/deploys/${id}/blobs`;
  await inParallel(groups, UPLOADS_AT_ONCE, async (group, index) => {
    const size = group.reduce((sum, file) => sum + file.size, 0);
    const tell = (bytes: number) => {
      // A form has more bytes than its files.
      sent[index] = Math.min(bytes, size);
      onSent(sent.reduce((sum, each) => sum + each, 0));
    };
    await patiently(() => uploadGroup(url, group, patience.signal, tell), patience);
    tell(size);
  });
}
