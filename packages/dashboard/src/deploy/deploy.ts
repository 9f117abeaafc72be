import type { Capability } from "@easel/protocol/capabilities";
import type { EaselJson } from "@easel/server/easel-json";
import { ApiError } from "../api/api-error.ts";
import { api, bodyOf } from "../api/client.ts";
import type { Canvas } from "../api/types.ts";
import type { Content } from "./content.ts";
import { type HashedFile, hashFiles, manifestOf } from "./hash.ts";
import type { Naming } from "./naming.ts";
import { BadOffer } from "./offered.ts";
import { type Patience, patiently } from "./patience.ts";
import { forget, remember, unfinishedOf } from "./remembered.ts";
import { applySettings, enable, setUp } from "./settings.ts";
import { cancelStaged, finish, isUnreadable, resume, type Staged, stage, uploadMissing } from "./staged.ts";
import { upload } from "./upload.ts";

/** Where a deploy goes: to a new canvas, or to one that exists. */
export type Target =
  | { kind: "new"; naming: Naming }
  | {
      kind: "version";
      canvas: Canvas;
      /** Whether the version is published, and not only stored. A zip is published always. */
      publish: boolean;
      /** Whether it is published over a version that the person has not seen. */
      force: boolean;
      /** The capabilities to turn on. */
      enable: readonly Capability[];
    };

/** How far a deploy is. `done` and `total` are bytes. */
export interface Progress {
  step: "reading" | "uploading" | "publishing";
  done: number;
  total: number;
  /** Why nothing goes on at the moment, in words. */
  waiting: string | null;
  /** Whether the deploy goes on with one that was interrupted. */
  isResumed: boolean;
}

/** The result of a deploy: the canvas, and its new version. */
export interface Deployed {
  canvas: Canvas;
  version: string | null;
  isPublished: boolean;
  warnings: string[];
}

/** One deploy while it runs. What it has begun on the service is known, so that it can be undone. */
class Run {
  readonly #content: Content;
  readonly #target: Target;
  readonly #signal: AbortSignal;
  readonly #onProgress: (progress: Progress) => void;
  #progress: Progress;
  #made: Canvas | undefined;
  #staged: { canvasId: string; id: string } | undefined;

  constructor(
    content: Content,
    target: Target,
    signal: AbortSignal,
    onProgress: (progress: Progress) => void,
  ) {
    this.#content = content;
    this.#target = target;
    this.#signal = signal;
    this.#onProgress = onProgress;
    this.#progress = { step: "reading", done: 0, total: content.bytes, waiting: null, isResumed: false };
  }

  async run(): Promise<Deployed> {
    const { body } = this.#content;
    try {
      return body.kind === "zip" ? await this.#sendZip(body.file) : await this.#sendFiles(body.files);
    } catch (error) {
      const isKept = error instanceof ApiError && (error.status === 0 || error.status >= 500);
      if (!isKept) await this.#undo();
      if (isUnreadable(error))
        throw new BadOffer("A file changed or is gone since it was chosen.", "Choose the folder again.");
      throw error;
    }
  }

  #tell(change: Partial<Progress>): void {
    this.#progress = { ...this.#progress, ...change };
    this.#onProgress(this.#progress);
  }

  get #patience(): Patience {
    return { signal: this.#signal, onWait: (waiting) => this.#tell({ waiting }) };
  }

  #patiently<Result>(send: () => Promise<Result>, isRepeatable = true): Promise<Result> {
    return patiently(send, { ...this.#patience, isRepeatable });
  }

  /** Removes what the deploy has begun. What cannot be removed ends by itself: a staged deploy after an hour; a draft stays in the list. */
  async #undo(): Promise<void> {
    if (this.#staged !== undefined) {
      forget(this.#staged.id);
      await cancelStaged(this.#staged.canvasId, this.#staged.id).catch(() => undefined);
    }
    if (this.#made === undefined) return;
    const params = { path: { id: this.#made.id } };
    await api.DELETE("/api/canvases/{id}", { params }).catch(() => undefined);
  }

  /** Makes the canvas. The request is not aborted, so that it is known whether there is one. */
  async #make({ title, slug }: Naming): Promise<Canvas> {
    const body = { title, ...(slug === "" ? {} : { slug }) };
    this.#made = await this.#patiently(() => bodyOf(api.POST("/api/canvases", { body })), false);
    return this.#made;
  }

  async #sendZip(file: Blob): Promise<Deployed> {
    const target = this.#target;
    this.#tell({ step: "uploading", total: file.size });
    const canvas = target.kind === "new" ? await this.#make(target.naming) : target.canvas;
    if (target.kind === "new") await this.#patiently(() => setUp(canvas.id, null));
    const request = {
      method: "PUT",
      path: `/api/canvases/${canvas.id}/bundle`,
      type: "application/zip",
      body: file,
    } as const;
    const response = await this.#patiently(() =>
      upload(request, this.#signal, (bytes) =>
        this.#tell(bytes < file.size ? { done: bytes } : { step: "publishing", done: file.size }),
      ),
    );
    const deployed = (await response.json()) as Canvas & { warnings: string[] };
    return { canvas: deployed, version: deployed.version, isPublished: true, warnings: deployed.warnings };
  }

  async #sendFiles(files: Extract<Content["body"], { kind: "files" }>["files"]): Promise<Deployed> {
    const target = this.#target;
    let read = 0;
    const hashed = await hashFiles(files, this.#signal, (bytes) => {
      read += bytes;
      this.#tell({ done: read });
    });
    const manifest = await manifestOf(hashed, this.#signal);
    const { canvas, staged } = await this.#begin(manifest, hashed);
    this.#staged = { canvasId: canvas.id, id: staged.id };
    remember({ manifest, canvasId: canvas.id, deploy: staged.id });
    await this.#upload(canvas, staged, hashed);
    const publish = target.kind === "new" || target.publish;
    this.#tell({ step: "publishing" });
    // Settings apply to the published version, so a version that is only stored leaves them as they are.
    if (publish) await this.#patiently(() => this.#applySettings(canvas, this.#content.settings));
    this.#signal.throwIfAborted();
    const { storedVersion, warnings, ...deployed } = await this.#patiently(() =>
      finish(canvas.id, staged.id, publish),
    );
    forget(staged.id);
    return { canvas: deployed, version: storedVersion, isPublished: publish, warnings };
  }

  /** Begins a staged deploy, or goes on with one of the same files that was interrupted. */
  async #begin(manifest: string, files: readonly HashedFile[]): Promise<{ canvas: Canvas; staged: Staged }> {
    const target = this.#target;
    const begun = await this.#patiently(() => this.#findBegun(manifest));
    if (begun !== undefined) {
      this.#tell({ isResumed: true });
      return begun;
    }
    if (target.kind === "new") {
      const canvas = await this.#make(target.naming);
      await this.#patiently(() => setUp(canvas.id, this.#content.settings));
      return { canvas, staged: await this.#patiently(() => stage(canvas.id, files, null)) };
    }
    const expected = target.force ? undefined : target.canvas.version;
    const staged = await this.#patiently(() => stage(target.canvas.id, files, expected));
    return { canvas: target.canvas, staged };
  }

  /** Finds a staged deploy of the same files: to the same canvas, or to a canvas that was made for it and has no version yet. */
  async #findBegun(manifest: string): Promise<{ canvas: Canvas; staged: Staged } | undefined> {
    const target = this.#target;
    if (target.kind === "version" && target.force) return undefined;
    for (const { canvasId, deploy } of unfinishedOf(manifest)) {
      if (target.kind === "version" && target.canvas.id !== canvasId) continue;
      const staged = await resume(canvasId, deploy);
      if (staged === null) {
        forget(deploy);
        continue;
      }
      if (target.kind === "version") return { canvas: target.canvas, staged };
      const canvas = await this.#takeDraft(canvasId, target.naming);
      if (canvas !== undefined) return { canvas, staged };
    }
    return undefined;
  }

  /** Gives a draft of the caller the names that they have chosen now. Returns undefined if the canvas is no draft of theirs. */
  async #takeDraft(id: string, { title, slug }: Naming): Promise<Canvas | undefined> {
    const params = { path: { id } };
    const canvas = await bodyOf(api.GET("/api/canvases/{id}", { params }));
    if (canvas.publicationStatus !== "draft" || canvas.viewerRole !== "owner") return undefined;
    this.#made = canvas;
    const isSame = canvas.title === title && (slug === "" || canvas.slug === slug);
    if (isSame) return canvas;
    const body = { title, ...(slug === "" ? {} : { slug }) };
    return bodyOf(api.PATCH("/api/canvases/{id}", { params, body }));
  }

  async #upload(canvas: Canvas, staged: Staged, files: readonly HashedFile[]): Promise<void> {
    const sizes = new Map(files.map(({ sha256, size }) => [sha256, size]));
    const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    const missing = staged.missing.reduce((sum, hash) => sum + (sizes.get(hash) ?? 0), 0);
    this.#tell({ step: "uploading", done: total - missing, total });
    await uploadMissing(canvas.id, staged, files, this.#patience, (bytes) =>
      this.#tell({ done: total - missing + bytes }),
    );
  }

  async #applySettings(canvas: Canvas, settings: EaselJson | null): Promise<void> {
    const target = this.#target;
    if (target.kind === "version") await enable(canvas.id, target.enable);
    if (settings !== null) await applySettings(canvas, settings, target.kind === "new");
  }
}

/**
 * Deploys content. Aborting the signal undoes what was begun: a staged deploy is cancelled, and a canvas that was made for it deleted. So does a
 * refusal. If the service cannot be reached any more, all is kept, and the next deploy of the same files goes on with it.
 */
export const deploy = (
  content: Content,
  target: Target,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<Deployed> => new Run(content, target, signal, onProgress).run();
