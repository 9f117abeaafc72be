import type { NameOf } from "./canvas-types.ts";
import type { Phase } from "./collections.ts";
import type { EaselError } from "./errors.ts";
import type { FileContent } from "./files/content.ts";
import { createUpload, type UploadedFile, type UploadOptions } from "./files/upload.ts";
import type { Listener } from "./realtime/listeners.ts";
import { type FileChange, POLLED, type Watch } from "./realtime/watch.ts";
import { type Api, search } from "./request.ts";
import { segment } from "./segment.ts";
import type { SendForm } from "./send-form.ts";

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
  /** The id of the person who uploaded the file. */
  uploadedBy: string;
  /** The id of the record that an attachment belongs to; null for any other file. */
  recordId: string | null;
  collection?: string;
  group?: string;
}

/**
 * Options of `list`: filters, and the page to read. `limit` is the size of the page, 1 to 1000. Without `limit`, the list has all files.
 */
export interface FileListOptions {
  group?: NameOf<"fileGroups">;
  collection?: string;
  /** The id of a record of `collection`. If it is given, only the attachments of that record are listed. */
  recordId?: string;
  cursor?: string | null;
  limit?: number;
}

/** An array of files. `nextCursor` is the cursor of the next page, or null if there are no more files. */
export interface FilePage extends Array<FileRecord> {
  readonly nextCursor: string | null;
}

/** Files of a canvas: shared, private, in groups, and attached to records (specification 4.4). */
export interface Files {
  /**
   * Stores a file and resolves with its id, name, size and URL. Never retries.
   * @throws QuotaExceededError with `FILE_TOO_LARGE` (25 MiB) or `QUOTA_EXCEEDED`; EaselError with `PERMISSION_DENIED` or `INVALID_BODY`;
   * the reason of the `signal` if that was aborted.
   * @example const { url } = await easel.files.upload(input.files[0], { onProgress: ({ loaded, total }) => show(loaded / total) });
   */
  upload(file: FileContent, options?: UploadOptions): Promise<UploadedFile>;
  /**
   * Resolves with the files that the viewer may read: all of them, or one page of them if `limit` is given.
   * @throws NotFoundError with the reason `COLLECTION_NOT_CONFIGURED` if the policy does not declare the group or collection.
   * @example const photos = await easel.files.list({ group: "photos" });
   */
  list(options?: FileListOptions): Promise<FilePage>;
  /**
   * Returns the absolute URL of a file's content, for `<img>`, `<video>` or a link.
   * @example image.src = easel.files.url(id);
   */
  url(id: string): string;
  /**
   * Renames a file and resolves with its record. The name loses paths and invisible characters, as that of an upload.
   * @throws NotFoundError; EaselError with `PERMISSION_DENIED`, `INVALID_BODY` for a name of more than 255 characters.
   * @example const { name } = await easel.files.rename(id, "tea.png");
   */
  rename(id: string, name: string): Promise<FileRecord>;
  /**
   * Deletes a file.
   * @throws NotFoundError; EaselError with `PERMISSION_DENIED`.
   * @example await easel.files.delete(id);
   */
  delete(id: string): Promise<void>;
  /**
   * Resolves with the current phase of a file group, null if it is in none, and with the names of the phases that its policy has.
   * @throws NotFoundError with the reason `COLLECTION_NOT_CONFIGURED` if the policy does not declare the group.
   * @example const { phase } = await easel.files.phase("photos");
   */
  phase(group: NameOf<"fileGroups">): Promise<Phase>;
  /**
   * Switches the phase of a file group, as the owner or an editor: other rights apply at once. Null ends the phase.
   * @throws EaselError with `PERMISSION_DENIED` for other viewers, and `INVALID_BODY` if the policy has no such phase.
   * @example await easel.files.setPhase("photos", "revealed");
   */
  setPhase(group: NameOf<"fileGroups">, phase: string | null): Promise<Phase>;
  /**
   * Calls `handler` on every change of a file that the viewer may read. A change with `op: "resync"` means that the page should read all
   * files again. Returns a function that stops the watch.
   * @example const stop = easel.files.watch(() => showFiles());
   */
  watch(handler: Listener<FileChange>, onError?: Listener<EaselError>): () => void;
}

/** Creates `easel.files`. */
export function createFiles(api: Api, watch: Watch, sendForm: SendForm): Files {
  const at = (id: string) => `/files/${segment(id, "file id")}`;
  const phaseOf = (group: string) => `/files/groups/${segment(group, "file group")}/phase`;
  const upload = createUpload(api, sendForm);

  return {
    async upload(file, options) {
      const uploaded = await upload(file, options);
      watch.wrote({ resource: "files" }, POLLED);
      return uploaded;
    },
    async list({ group, collection, recordId, cursor, limit } = {}) {
      const query = search({ group, collection, recordId, cursor, limit });
      const { files, nextCursor = null } = await api.json<Listed>("GET", `/files${query}`);
      // `nextCursor` is not enumerable, so that the array compares and copies like any other.
      return Object.defineProperty(files, "nextCursor", { value: nextCursor }) as FilePage;
    },
    url: (id) => api.url(`${at(id)}/content`),
    async rename(id, name) {
      const file = await api.json<FileRecord>("PATCH", at(id), { name });
      watch.wrote({ resource: "files" }, POLLED);
      return file;
    },
    async delete(id) {
      await api.json("DELETE", at(id));
      watch.wrote({ resource: "files" }, POLLED);
    },
    async phase(group) {
      return api.json("GET", phaseOf(group));
    },
    async setPhase(group, phase) {
      const switched = await api.json<Phase>("PUT", phaseOf(group), { phase });
      watch.wrote({ resource: "files" }, POLLED);
      return switched;
    },
    watch: (handler, onError) => watch({ resource: "files" }, handler, onError),
  };
}

interface Listed {
  files: FileRecord[];
  nextCursor?: string | null;
}
