import type { FinishedDeploy } from "@easel/protocol/types";
import { Refusal } from "../api/refusal.ts";
import { UPLOAD_TIMEOUT_MS } from "../api/send.ts";
import { bodyOf, type Service } from "../api/service.ts";
import type { Project } from "../project/project.ts";
import type { HashedFile } from "./manifest.ts";

/** A staged deploy: its id, the hashes of the files that the service still lacks, and the warnings of the service. */
export interface Staged {
  id: string;
  missing: string[];
  warnings: string[];
}

/**
 * The options of a staged deploy. The deploy fails if `expectedVersion` is not the published version. Null means that no version is
 * published; undefined turns the check off.
 */
export interface StageOptions {
  expectedVersion: string | null | undefined;
  message: string | undefined;
  /** What the files are called, such as a commit. Nothing is published if the published version has this release. */
  releaseId: string | undefined;
}

/** Begins a staged deploy: tells the service the paths, hashes and sizes of all files. */
export async function stage(
  canvasId: string,
  files: readonly HashedFile[],
  { expectedVersion, message, releaseId }: StageOptions,
  { api }: Service,
): Promise<Staged> {
  const body = {
    files: files.map(({ path, sha256, size }) => ({ path, sha256, size })),
    ...(expectedVersion === undefined ? {} : { expectedVersion }),
    ...(message === undefined ? {} : { message }),
    ...(releaseId === undefined ? {} : { releaseId }),
  };
  const path = { id: canvasId };
  return bodyOf(api.POST("/api/canvases/{id}/deploys", { params: { path }, body }));
}

/**
 * Publishes a staged deploy, unless its release is published already, or only stores it if `publish` is false. A repeated call returns the
 * same version. Throws a 409 `BLOBS_MISSING` if uploads are missing.
 */
export async function finish(
  canvasId: string,
  deploy: string,
  publish: boolean,
  service: Service,
): Promise<FinishedDeploy> {
  const path = `/api/canvases/${canvasId}/deploys/${deploy}/finish`;
  const headers = { "content-type": "application/json" };
  const init = publish
    ? { method: "POST" }
    : { method: "POST", headers, body: JSON.stringify({ publish: false }) };
  const response = await service.send(path, () => init, {
    repeatable: true,
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
  return (await response.json()) as FinishedDeploy;
}

/** Ends a staged deploy without publishing it. */
export async function cancel(canvasId: string, deploy: string, { api }: Service): Promise<void> {
  await api.DELETE("/api/canvases/{id}/deploys/{deploy}", { params: { path: { id: canvasId, deploy } } });
}

/**
 * Returns the staged deploy that an earlier run began with the same files. Returns undefined if there is none, or if it has expired or was
 * published.
 */
export async function resume(
  canvasId: string,
  staged: Project["staged"],
  manifest: string,
  { api }: Service,
): Promise<Staged | undefined> {
  if (staged?.manifest !== manifest) return undefined;
  const path = { id: canvasId, deploy: staged.id };
  try {
    const { missing } = await bodyOf(api.GET("/api/canvases/{id}/deploys/{deploy}", { params: { path } }));
    return { id: staged.id, missing, warnings: [] };
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  }
}
