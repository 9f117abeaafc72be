import { EaselError, invalid, NotAuthenticatedError } from "../errors.ts";
import { createListeners, type Listener } from "../realtime/listeners.ts";
import type { Api, Fetch } from "../request.ts";
import { sendWithProgress, type UploadProgress, type UploadRequest } from "./progress.ts";

/** A file that was just uploaded. `url` is the absolute address of its content. */
export interface UploadedFile {
  id: string;
  name: string;
  size: number;
  url: string;
}

/** The content of an upload: a `File` or `Blob`, bytes, or text. */
export type FileContent = Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer> | string;

/** The name and the target of an upload. `scope`, `group`, and `collection` with `recordId` exclude each other. */
interface Target {
  /** `shared` (default), which needs an owner or editor, or `submission`: readable by its uploader, owner and editors. */
  scope?: "shared" | "submission";
  /** The name of a file group in the canvas's policy. */
  group?: string;
  /** The collection of the record to attach the file to. */
  collection?: string;
  /** The id of the record to attach the file to. */
  recordId?: string;
  /** The name of the file. Without it, a `File` keeps its own name, and any other content is named `upload`. */
  name?: string;
}

/** The target, the name and the progress of an upload. */
export interface UploadOptions extends Target {
  /** Called while the bytes are sent. */
  onProgress?: Listener<UploadProgress>;
  /** Aborts the upload. */
  signal?: AbortSignal;
}

/** Creates `easel.files.upload`. Without `XMLHttpRequest`, as in Node, progress is reported once, at the end. */
export function createUpload(api: Api, XMLHttpRequest: (new () => UploadRequest) | undefined) {
  const send = (init: RequestInit, transport?: Fetch) =>
    api.receive<UploadedFile>("POST", "/files", init, transport);

  /** Rejects if the viewer is not signed in. For `XMLHttpRequest` the redirect to the sign-in page is a network failure. */
  const requireSession = async ({ signal = null }: RequestInit) => {
    await api.send("GET", "/me", { signal }).catch((error) => {
      if (error instanceof NotAuthenticatedError) throw error;
    });
    signal?.throwIfAborted();
  };

  const sendReporting = async (init: RequestInit, size: number, onProgress: Listener<UploadProgress>) => {
    const progress = createListeners<UploadProgress>();
    progress.add(onProgress);
    if (XMLHttpRequest === undefined) {
      const uploaded = await send(init);
      progress.emit({ loaded: size, total: size });
      return uploaded;
    }
    try {
      return await send(init, sendWithProgress(XMLHttpRequest, size, progress.emit));
    } catch (error) {
      if (error instanceof EaselError && error.status === 0) await requireSession(init);
      throw error;
    }
  };

  return async (
    file: FileContent,
    { onProgress, signal, ...target }: UploadOptions = {},
  ): Promise<UploadedFile> => {
    const blob = blobOf(file);
    const init = { body: formOf(blob, target), signal: signal ?? null };
    const uploaded = await (onProgress ? sendReporting(init, blob.size, onProgress) : send(init));
    return { ...uploaded, url: new URL(uploaded.url, api.url("")).href };
  };
}

/** Encodes an upload as a form. The service needs the fields before the file, which is the last part. */
function formOf(file: Blob, { name, ...fields }: Target): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) if (value !== undefined) form.append(field, value);
  form.append("file", file, name || (file instanceof File && file.name) || "upload");
  return form;
}

/** Returns content as a blob: text as `text/plain`, bytes without a type. Throws for anything else. */
function blobOf(file: FileContent): Blob {
  if (typeof file === "string") return new Blob([file], { type: "text/plain" });
  if (file instanceof Blob) return file;
  if (file instanceof ArrayBuffer || ArrayBuffer.isView(file)) return new Blob([file as ArrayBuffer]);
  throw invalid("A file must be a File, a Blob, an ArrayBuffer, a typed array or a string.");
}
