import { LIMITS } from "@easel/protocol/limits";
import { entryOf, policyOf } from "../../canvases/policy.ts";
import type { Env } from "../../env.ts";
import { parseJson, readBody, refuseLargeBody } from "../../http/body.ts";
import { apiPath } from "../../http/canvas-path.ts";
import { firstValue } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import { announceChange } from "../change-feed.ts";
import { phaseRoute } from "../phase-route.ts";
import { type Call, type Primitive, withBody } from "../primitive.ts";
import { type ReadSlice, streamList } from "../streamed-list.ts";
import { contentOf, openFile } from "./content.ts";
import { filesData } from "./data.ts";
import { FileList, parseCursor, parseFilter, parseLimit } from "./list.ts";
import { filesOperations } from "./operations.ts";
import { newName, receiveUpload } from "./receive-upload.ts";
import { FileStore, fileText, type StoredFile } from "./store.ts";

/** The maximum size of the request body of a rename in bytes. JSON can encode one character of the name as six bytes. */
const MAX_RENAME_BYTES = 6 * LIMITS.fileNameLength.value + 1024;

/** Publishes a change of a file to the connections that watch the canvas's files. */
const publishChange = (
  { canvas }: Call,
  { scope, id, owner_id }: StoredFile,
  op: "set" | "delete",
  env: Env,
) => announceChange(canvas.id, { resource: "files", scope, id, op, of: owner_id }, env);

/** The routes for files that pages upload: shared, private, in groups, or attached to records (specification 4.4). */
export const files: Primitive = {
  capability: "files",
  description: filesOperations,
  data: filesData,
  readable: true,
  routes: {
    "/files": {
      async GET(call, env) {
        const filter = parseFilter(call.query);
        const start = parseCursor(firstValue(call.query, "cursor"));
        const read: ReadSlice<StoredFile> = (now, limit, after) =>
          new FileList(now, env).page(filter, limit, after === null ? start : parseCursor(after));
        return streamList(call, parseLimit(call.query), read, fileText, "files");
      },
      async POST(call, env) {
        const { id, name, size } = await receiveUpload(call, env);
        const url = `${apiPath(call.canvas.slug)}/files/${id}/content`;
        return { status: 201, body: JSON.stringify({ id, name, size, url }) };
      },
    },
    "/files/:id": {
      PATCH: withBody({
        may: (call, env) => openFile(call, "update", env),
        read: ({ request }, { turns }) =>
          readBody(request, MAX_RENAME_BYTES, () => refuseLargeBody(MAX_RENAME_BYTES), { turns }),
        async run(call, file, body, env) {
          const given = parseJson(body);
          const name = newName(Object(given).name);
          if (name === null)
            return refuse("INVALID_BODY", { message: "`name` must have 1 to 255 visible characters." });
          if (!(await new FileStore(env, call.canvas.id).rename(file.id, name))) refuse("NOT_FOUND");
          publishChange(call, file, "set", env);
          return fileText({ ...file, name });
        },
      }),
      async DELETE(call, env) {
        const file = await openFile(call, "delete", env);
        if (!(await new FileStore(env, call.canvas.id).delete(file.id))) refuse("NOT_FOUND");
        publishChange(call, file, "delete", env);
        return '{"ok":true}';
      },
    },
    "/files/groups/:name/phase": phaseRoute({
      section: "fileGroups",
      async open({ canvas, params: { name = "" } }, env) {
        return entryOf((await policyOf(canvas, env)).fileGroups, name) ?? refuse("COLLECTION_NOT_CONFIGURED");
      },
      reread: (name) => ({ resource: "files", scope: `group:${name}`, op: "clear", of: null }),
    }),
    "/files/:id/content": {
      async GET(call, env) {
        return contentOf(await openFile(call, "read", env), call, env);
      },
    },
  },
};
