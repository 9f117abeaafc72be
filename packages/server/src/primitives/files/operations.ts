import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { entryOf, policyOf } from "../../canvases/policy.ts";
import type { Env } from "../../env.ts";
import { refuseLargeBody } from "../../http/body.ts";
import { apiPath } from "../../http/canvas-path.ts";
import { firstValue } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import type { Parameters } from "../../operations/operation.ts";
import { jsonBody } from "../../operations/operation-body.ts";
import { announceChange } from "../change-feed.ts";
import { json, nextCursor, OK, ok, paging } from "../description.ts";
import { phaseOperations } from "../phase-operations.ts";
import { operation, type Primitive, type RuntimeCaller } from "../primitive.ts";
import { type ReadSlice, streamList } from "../streamed-list.ts";
import { contentOf, openFile } from "./content.ts";
import { filesData } from "./data.ts";
import { FileList, type Filter, type Position, parseCursor, parseFilter, parseLimit } from "./list.ts";
import { addFile, newName, uploadBody } from "./receive-upload.ts";
import { FileStore, fileText, type StoredFile } from "./store.ts";

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

const name = z
  .string("must have 1 to 255 visible characters")
  .meta({
    description: `1 to ${LIMITS.fileNameLength.value} visible characters. A path before the name, invisible characters and spaces around it are removed, as from the name of an upload.`,
  })
  .transform((given, context) => {
    const cleaned = newName(given);
    if (cleaned === null)
      context.addIssue({ code: "custom", message: "must have 1 to 255 visible characters" });
    return cleaned ?? z.NEVER;
  });

/** The maximum size of the body of a rename in bytes. JSON can encode one character of the name as six bytes. */
const MAX_RENAME_BYTES = 6 * LIMITS.fileNameLength.value + 1024;

const list: Parameters<{ filter: Filter; start: Position; limit: number }> = {
  schema: z.object({
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
  parse: (query) => ({
    filter: parseFilter(query),
    start: parseCursor(firstValue(query, "cursor")),
    limit: parseLimit(query),
  }),
};

/** Returns a function that finds the file in the path, as `openFile` does. */
const open =
  (action: "read" | "update" | "delete") =>
  (caller: RuntimeCaller, { params }: { params: { id: string } }, env: Env) =>
    openFile(caller, params.id, action, env);

/** Publishes a change of a file to the connections that watch the canvas's files. */
const publishChange = (
  { canvas }: RuntimeCaller,
  { scope, id: changed, owner_id }: StoredFile,
  op: "set" | "delete",
  env: Env,
) => announceChange(canvas.id, { resource: "files", scope, id: changed, op, of: owner_id }, env);

export const uploadFile = operation({
  name: "file.upload",
  cost: "cheap",
  method: "POST",
  path: "/files",
  summary: "Uploads a file.",
  details:
    "The parts can have any order. `scope`, `group`, and `collection` with `recordId` exclude each other; without any of them the scope is `shared`.",
  responses: json("The file is stored.", uploaded, 201),
  errors: ["PERMISSION_DENIED", "FILE_TOO_LARGE", ["QUOTA_EXCEEDED", 409]],
  body: uploadBody,
  async run(caller, { body, local }, env) {
    const { id: created, name: stored, size } = await addFile(caller, body, local.id, env);
    const url = `${apiPath(caller.canvas.slug)}/files/${created}/content`;
    return { status: 201, body: JSON.stringify({ id: created, name: stored, size, url }) };
  },
});

/** The operations on files that pages upload: shared, private, in groups, or attached to records (specification 4.4). */
export const files: Primitive = {
  capability: "files",
  title: "Files",
  summary: "Files that pages upload: shared, private to their author, in groups, or attached to records.",
  data: filesData,
  readable: true,
  optimistic: true,
  operations: [
    operation({
      name: "file.list",
      method: "GET",
      path: "/files",
      summary: "Lists the files that the caller may read, by scope, the oldest first.",
      details: "Without `limit`, lists all of them.",
      responses: json("The files.", page),
      errors: ["PERMISSION_DENIED"],
      query: list,
      async run(caller, { query: { filter, start, limit: most }, work }, env) {
        const read: ReadSlice<StoredFile> = (current, limit, after) =>
          new FileList(current, env).page(filter, limit, after === null ? start : parseCursor(after));
        return streamList(caller, most, read, fileText, work, "files");
      },
    }),
    uploadFile,
    operation({
      name: "file.rename",
      cost: "cheap",
      method: "PATCH",
      path: "/files/{id}",
      summary: "Renames a file.",
      responses: json("The file.", file),
      errors: ["PERMISSION_DENIED", "BODY_TOO_LARGE"],
      may: open("update"),
      body: jsonBody(z.object({ name }), {
        limit: MAX_RENAME_BYTES,
        tooLarge: () => refuseLargeBody(MAX_RENAME_BYTES),
      }),
      async run(caller, { subject: found, body }, env) {
        if (!(await new FileStore(env, caller.canvas.id).rename(found.id, body.name))) refuse("NOT_FOUND");
        publishChange(caller, found, "set", env);
        return fileText({ ...found, name: body.name });
      },
    }),
    operation({
      name: "file.delete",
      cost: "cheap",
      method: "DELETE",
      path: "/files/{id}",
      summary: "Deletes a file.",
      responses: ok,
      errors: ["PERMISSION_DENIED"],
      may: open("delete"),
      async run(caller, { subject: found }, env) {
        if (!(await new FileStore(env, caller.canvas.id).delete(found.id, env.clock()))) refuse("NOT_FOUND");
        publishChange(caller, found, "delete", env);
        return OK;
      },
    }),
    ...phaseOperations({
      section: "fileGroups",
      path: "/files/groups/{name}",
      prefix: "file",
      of: "a file group",
      async open({ canvas }, group, env) {
        return (
          entryOf((await policyOf(canvas, env)).fileGroups, group) ?? refuse("COLLECTION_NOT_CONFIGURED")
        );
      },
      reread: (group) => ({ resource: "files", scope: `group:${group}`, op: "clear", of: null }),
    }),
    operation({
      name: "file.content",
      cost: "cheap",
      method: "GET",
      path: "/files/{id}/content",
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
      may: open("read"),
      run: (_caller, { subject: found, message }, env) => contentOf(found, message, env),
    }),
  ],
};
