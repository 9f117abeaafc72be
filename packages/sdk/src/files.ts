import { EaselError, invalid, NotAuthenticatedError } from "./errors.ts";
import { createListeners, type Listener } from "./realtime/listeners.ts";
import type { FileChange, Watch } from "./realtime/watch.ts";
import { type Api, type Fetch, search } from "./request.ts";
import { segment } from "./segment.ts";
import { type Progress, sendWithProgress, type UploadRequest } from "./upload-progress.ts";

/**
 * A stored file; `createdAt` is in epoch milliseconds. `scope` is `shared`, `submission`, `group:{name}`, or
 * `record:{collection}` for attachments (specification 2).
 */
export interface FileRecord {
  id: string;
  name: string;
  size: number;
  mime: string;
  createdAt: number;
  scope: string;
  /** The id of the person who uploaded it. */
  uploadedBy: string;
  /** The record that an attachment belongs to; null for any other file. */
  recordId: string | null;
  collection?: string;
  group?: string;
}

/** A file that was just uploaded; `url` is the absolute address of its content. */
export interface UploadedFile {
  id: string;
  name: string;
  size: number;
  url: string;
}

/** Content of an upload: a `File` or `Blob`, bytes, or text. */
export type FileContent = Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer> | string;

/** Name and target of an upload. `scope`, `group`, and `collection` with `recordId` exclude each other. */
interface Target {
  /** `shared` (default), which needs an owner or editor, or `submission`: readable by its uploader, owner and editors. */
  scope?: "shared" | "submission";
  /** Name of a file group that the canvas's policy names. */
  group?: string;
  /** Collection of the record to attach the file to. */
  collection?: string;
  /** Record to attach the file to. */
  recordId?: string;
  /** Name of the file. Without it a `File` keeps its own; anything else is named `upload`. */
  name?: string;
}

/** Target, name and progress of an upload. */
export interface UploadOptions extends Target {
  /** Called as the bytes are sent. */
  onProgress?: Listener<Progress>;
  /** Aborts the upload. */
  signal?: AbortSignal;
}

/** Filters and page of a list. Without `limit` (1 to 1000) the list is complete. */
export interface FileListOptions {
  group?: string;
  collection?: string;
  /** A record of `collection`. */
  recordId?: string;
  cursor?: string | null;
  limit?: number;
}

/** An array of files; `nextCursor` is null unless `limit` has cut the list off. */
export interface FilePage extends Array<FileRecord> {
  readonly nextCursor: string | null;
}

/** Files of a canvas: shared, private, in groups, and attached to records (specification 4.4). */
export interface Files {
  /**
   * Stores a file and resolves with its id, name, size and URL. Never retried.
   * @example const { url } = await easel.files.upload(input.files[0], { onProgress: ({ loaded, total }) => show(loaded / total) });
   */
  upload(file: FileContent, options?: UploadOptions): Promise<UploadedFile>;
  /**
   * Resolves with the files that the viewer may read: all of them, or a page with `limit`.
   * @example const photos = await easel.files.list({ group: "photos" });
   */
  list(options?: FileListOptions): Promise<FilePage>;
  /**
   * Returns the absolute URL of a file's content, for `<img>`, `<video>` or a link.
   * @example image.src = easel.files.url(id);
   */
  url(id: string): string;
  /**
   * Renames a file and resolves with its record.
   * @example const { name } = await easel.files.rename(id, "tea.png");
   */
  rename(id: string, name: string): Promise<FileRecord>;
  /**
   * Deletes a file.
   * @example await easel.files.delete(id);
   */
  delete(id: string): Promise<void>;
  /**
   * Calls `handler` on every change of a file that the viewer may read, and with `resync` when everything should be read again.
   * Returns a function that stops the watch.
   * @example const stop = easel.files.watch(() => showFiles());
   */
  watch(handler: Listener<FileChange>, onError?: Listener<EaselError>): () => void;
}

/** Creates `easel.files`. Without `XMLHttpRequest`, as in Node, an upload reports its progress once, at the end. */
export function createFiles(
  api: Api,
  watch: Watch,
  XMLHttpRequest: (new () => UploadRequest) | undefined,
): Files {
  const at = (id: string) => `/files/${segment(id, "file id")}`;

  const receive = (init: RequestInit, transport?: Fetch) =>
    api.receive<UploadedFile>("POST", "/files", init, transport);

  /** Rejects if the viewer is not signed in: to `XMLHttpRequest` the redirect to the sign-in page looks like a network failure. */
  const requireSession = async ({ signal = null }: RequestInit) => {
    await api.send("GET", "/me", { signal }).catch((error) => {
      if (error instanceof NotAuthenticatedError) throw error;
    });
    signal?.throwIfAborted();
  };

  const send = async (init: RequestInit, size: number, onProgress: Listener<Progress>) => {
    const progress = createListeners<Progress>();
    progress.add(onProgress);
    if (XMLHttpRequest === undefined) {
      const uploaded = await receive(init);
      progress.emit({ loaded: size, total: size });
      return uploaded;
    }
    try {
      return await receive(init, sendWithProgress(XMLHttpRequest, size, progress.emit));
    } catch (error) {
      if (error instanceof EaselError && error.status === 0) await requireSession(init);
      throw error;
    }
  };

  return {
    async upload(file, { onProgress, signal, ...options } = {}) {
      const blob = blobOf(file);
      const init = { body: formOf(blob, options), signal: signal ?? null };
      const uploaded = await (onProgress ? send(init, blob.size, onProgress) : receive(init));
      return { ...uploaded, url: new URL(uploaded.url, api.url("")).href };
    },
    async list({ group, collection, recordId, cursor, limit } = {}) {
      const query = search({ group, collection, recordId, cursor, limit });
      const { files, nextCursor = null } = await api.json<Listed>("GET", `/files${query}`);
      // Not enumerable, so that the array compares and copies like any other.
      return Object.defineProperty(files, "nextCursor", { value: nextCursor }) as FilePage;
    },
    url: (id) => api.url(`${at(id)}/content`),
    async rename(id, name) {
      return api.json("PATCH", at(id), { name });
    },
    async delete(id) {
      await api.json("DELETE", at(id));
    },
    watch: (handler, onError) => watch({ resource: "files" }, handler, onError),
  };
}

interface Listed {
  files: FileRecord[];
  nextCursor?: string | null;
}

/** Encodes an upload. The service needs the fields before the file, which is the last part. */
function formOf(file: Blob, { name, ...fields }: Target): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) if (value !== undefined) form.append(field, value);
  form.append("file", file, name || (file instanceof File && file.name) || "upload");
  return form;
}

/** Returns content as a blob: text as `text/plain`, bytes without a type. */
function blobOf(file: FileContent): Blob {
  if (typeof file === "string") return new Blob([file], { type: "text/plain" });
  if (file instanceof Blob) return file;
  if (file instanceof ArrayBuffer || ArrayBuffer.isView(file)) return new Blob([file as ArrayBuffer]);
  throw invalid("A file must be a File, a Blob, an ArrayBuffer, a typed array or a string.");
}
