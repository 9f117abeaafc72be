import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { bytes, type Description, json, jsonBody, nextCursor, ok, paging } from "../description.ts";
import { phase, phaseBody } from "../phase-route.ts";

const id = z.string();

const file = z
  .strictObject({
    id,
    name: z.string(),
    size: z.int().meta({ description: "Bytes." }),
    mime: z.string(),
    createdAt: z.int().meta({ description: "Epoch milliseconds." }),
    scope: z
      .string()
      .meta({ description: "`shared`, `submission`, `group:{name}` or `record:{collection}`." }),
    uploadedBy: z.string().meta({ description: "The id of a person." }),
    recordId: z.string().nullable(),
    collection: z.string().optional(),
    group: z.string().optional(),
  })
  .meta({ id: "FileRecord" });

const uploaded = z
  .strictObject({
    id,
    name: z.string(),
    size: z.int(),
    url: z.string().meta({ description: "The address of the content, relative to the origin of the API." }),
  })
  .meta({ id: "UploadedFile" });

const page = z.strictObject({ files: z.array(file), nextCursor }).meta({ id: "FilePage" });

const form = z.strictObject({
  scope: z.enum(["shared", "submission"]).optional(),
  group: z.string().optional().meta({ description: "The name of a file group." }),
  collection: z.string().optional().meta({ description: "With `recordId`: attaches the file to a record." }),
  recordId: z.string().optional(),
  file: bytes,
});

const name = z.string().meta({
  description: `1 to ${LIMITS.fileNameLength.value} visible characters. A path before the name, invisible characters and spaces around it are removed, as from the name of an upload.`,
});

/** Describes the routes for files for the OpenAPI document. */
export const filesOperations: Description = {
  title: "Files",
  summary: "Files that pages upload: shared, private to their author, in groups, or attached to records.",
  operations: {
    "GET /files": {
      id: "file.list",
      summary: "Lists the files that the caller may read, by scope, the oldest first.",
      details: "Without `limit`, lists all of them.",
      query: z.object({
        group: z.string().optional().meta({ description: "Only the files of this group." }),
        collection: z.string().optional().meta({ description: "Only the attachments of this collection." }),
        recordId: z
          .string()
          .optional()
          .meta({ description: "Only the attachments of this record. Needs `collection`." }),
        cursor: paging.cursor,
        limit: paging.limit
          .removeDefault()
          .optional()
          .meta({ description: "The maximum number of files of the page." }),
      }),
      responses: json("The files.", page),
      errors: ["PERMISSION_DENIED"],
    },
    "POST /files": {
      id: "file.upload",
      summary: "Uploads a file.",
      details:
        "The parts can have any order. `scope`, `group`, and `collection` with `recordId` exclude each other; without any of them the scope is `shared`.",
      body: {
        type: "multipart/form-data",
        schema: form,
        parts: { file: "application/octet-stream" },
      },
      responses: json("The file is stored.", uploaded, 201),
      errors: ["PERMISSION_DENIED", "FILE_TOO_LARGE", ["QUOTA_EXCEEDED", 409]],
    },
    "PATCH /files/:id": {
      id: "file.rename",
      summary: "Renames a file.",
      body: jsonBody(z.object({ name })),
      responses: json("The file.", file),
      errors: ["PERMISSION_DENIED", "BODY_TOO_LARGE"],
    },
    "DELETE /files/:id": {
      id: "file.delete",
      summary: "Deletes a file.",
      responses: ok,
      errors: ["PERMISSION_DENIED"],
    },
    "GET /files/groups/:name/phase": {
      id: "file.phase",
      summary: "Returns the current phase of a file group, and the phases of its policy.",
      responses: json("The phase.", phase),
      errors: ["COLLECTION_NOT_CONFIGURED"],
    },
    "PUT /files/groups/:name/phase": {
      id: "file.setPhase",
      summary:
        "Switches the phase of a file group, as its owner or editor: another set of rights applies at once.",
      body: jsonBody(phaseBody),
      responses: json("The phase as it is now.", phase),
      errors: ["COLLECTION_NOT_CONFIGURED", "PERMISSION_DENIED", "VALUE_TOO_LARGE"],
    },
    "GET /files/:id/content": {
      id: "file.content",
      summary: "Returns the bytes of a file.",
      details:
        "The media type is that of the upload, for texts with its charset. Images in PNG, JPEG, GIF, WebP and AVIF are sent inline, everything else as an attachment.",
      responses: {
        200: {
          description: "The bytes.",
          type: "*/*",
          headers: { ETag: "Identifies the content, for `If-Range`." },
        },
        206: {
          description: "The bytes of the range that `Range` asks for.",
          type: "*/*",
          headers: { "Content-Range": "The range and the size of the file." },
        },
      },
      errors: ["PERMISSION_DENIED", "RANGE_NOT_SATISFIABLE"],
    },
  },
};
