import { LIMITS } from "@easel/protocol/limits";
import type { CanvasData } from "../../canvases/canvas-data.ts";
import { UNUSED_MS } from "../../canvases/unused-blobs.ts";
import { sql } from "../../drivers/db/db.ts";
import { removeAllFiles, sweepAttachments } from "./attachments.ts";
import { makeRoom, removeAllOfCanvas, sweepRemoved } from "./removed-files.ts";

/**
 * Declares the storage of uploaded files: a table with one row per file, one of removed files whose bytes may be stored, a table with the total size
 * per canvas, the quotas, and the blobs.
 */
export const filesData: CanvasData = {
  tables: {
    files: { key: ["id"], remove: removeAllFiles },
    removed_files: { key: ["id"], remove: removeAllOfCanvas },
    file_bytes: { key: ["canvas_id"] },
  },
  people: {
    files: {
      ids: ["owner_id", "uploaded_by"],
      erased: "kept",
      exported: {
        part: "files",
        columns: ["id", "canvas_id", "scope", "record_id", "name", "mime", "size", "created_at"],
        order: ["id"],
        blob: "blob_key",
      },
    },
  },
  quotas: {
    "files.bytes.file": {
      limit: LIMITS.fileBytes.value,
      used: (canvas) => sql`select max(size) as used from files where canvas_id = ${canvas}`,
    },
    "files.bytes.canvas": {
      limit: LIMITS.filesBytesPerCanvas.value,
      used: (canvas) => sql`select bytes as used from file_bytes where canvas_id = ${canvas}`,
    },
  },
  usage: (canvas) => sql`select bytes from file_bytes where canvas_id = ${canvas}`,
  makeRoom,
  cleanUps: [
    { what: "attachments of removed records", keptMs: 0, remove: (_until, env) => sweepAttachments(env) },
    { what: "bytes of removed files", keptMs: UNUSED_MS, remove: sweepRemoved },
  ],
  blobs: { table: "files", column: "blob_key" },
};
