import type { NameOf } from "../canvas-types.ts";
import type { Api } from "../request.ts";
import type { SendForm, SendOptions } from "../send-form.ts";
import { blobOf, type FileContent } from "./content.ts";

/** A file that was just uploaded. `url` is the absolute address of its content. */
export interface UploadedFile {
  id: string;
  name: string;
  size: number;
  url: string;
}

/**
 * The name of an uploaded file, and where to store it: in a `scope`, in a `group`, or attached to a record (`collection` and `recordId`).
 * Give only one of these three.
 */
interface Target {
  /**
   * `shared` (default): only the owner and editors may upload such files. `submission`: only the uploader, the owner and editors may read
   * such files.
   */
  scope?: "shared" | "submission";
  /** The name of a file group in the canvas's policy. */
  group?: NameOf<"fileGroups">;
  /** The collection of the record to attach the file to. */
  collection?: string;
  /** The id of the record to attach the file to. */
  recordId?: string;
  /** The name of the file. Without it, a `File` keeps its own name, and any other content is named `upload`. */
  name?: string;
}

/** Options of an upload: where to store the file, its name, progress and cancellation. */
export interface UploadOptions extends Target, SendOptions {}

/** Creates `easel.files.upload`. */
export function createUpload(api: Api, sendForm: SendForm) {
  return async (
    file: FileContent,
    { onProgress, signal, ...target }: UploadOptions = {},
  ): Promise<UploadedFile> => {
    const blob = blobOf(file);
    const uploaded = await sendForm<UploadedFile>("POST", "/files", formOf(blob, target), blob.size, {
      onProgress,
      signal,
    });
    return { ...uploaded, url: new URL(uploaded.url, api.url("")).href };
  };
}

/** Encodes an upload as a form. The file is the last part, so that the service can refuse the upload before it reads the file. */
function formOf(file: Blob, { name, ...fields }: Target): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) if (value !== undefined) form.append(field, value);
  form.append("file", file, name || (file instanceof File && file.name) || "upload");
  return form;
}
