import type { Json } from "@easel/protocol/types";
import { copiedId, isId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { inputOf, refuseExisting } from "../../operations/operation.ts";
import type { RuntimeCaller } from "../primitive.ts";
import { codeOf, type Fields as Line } from "../transfer/import-lines.ts";
import { type Import, slicesOf, type Transfer } from "../transfer/transfer.ts";
import { FileList, parseCursor } from "./list.ts";
import { uploadFile } from "./operations.ts";
import type { GivenFile } from "./receive-upload.ts";
import { collectionOf, groupOf, parseScope } from "./scope.ts";
import { FileStore, fileText, type StoredFile } from "./store.ts";
import { type Fields, targetOf } from "./target.ts";

const FOLDER = "files";
const INDEX = `${FOLDER}/index.jsonl`;
const SLICE = 100;

const contentPath = (id: string) => `${FOLDER}/${id}`;

/** Reads a page of the files that the caller may read, as `GET /files` lists them. */
const page = (caller: RuntimeCaller, cursor: string | null, env: Env) =>
  new FileList(caller, env).page({ scope: null, recordId: null }, SLICE, parseCursor(cursor ?? undefined));

const textIn = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

/** Converts a line of the index to the form fields of an upload. Throws 400 `INVALID_BODY` for an invalid line. */
function fieldsOf({ scope: given, recordId }: Line, attached: Map<string, string>): Fields {
  const scope = parseScope(textIn(given) ?? "") ?? refuse("INVALID_BODY");
  const [collection, group] = [collectionOf(scope), groupOf(scope)];
  if (group !== undefined) return { group };
  if (collection === undefined) return { scope };
  const id = textIn(recordId) ?? refuse("INVALID_BODY");
  return { collection, recordId: attached.get(id) || id };
}

/** Imports a file from the archive, unless the canvas has it already. */
async function importFile(line: Line, { access, archive, attached, env }: Import): Promise<void> {
  const id = textIn(line.id);
  if (id === undefined || !isId(id)) refuse("INVALID_BODY");
  const { size, read } = archive.file(contentPath(id)) ?? refuse("NOT_FOUND");
  const fields = fieldsOf(line, attached);
  const caller = await access("files");
  await targetOf(caller, fields, env);
  const files = new FileStore(env, caller.canvas.id);
  const copy = copiedId(id, [caller.canvas.id, caller.user.id]);
  for (const each of [id, copy]) if ((await files.find(each)) !== undefined) refuseExisting();
  const value: GivenFile = {
    ...fields,
    name: textIn(line.name),
    type: textIn(line.mime),
    size,
    content: read(),
  };
  await uploadFile.perform(caller, inputOf({ body: { value }, local: { id: copy } }), env);
}

/** Exports the uploaded files that the caller may read, with an index, and imports files as files of the caller. */
export const filesTransfer: Transfer = {
  part: "files",
  capability: "files",
  paths: /^files\/[^/]+$/,
  async *export({ access, env }) {
    const read = (caller: RuntimeCaller, cursor: string | null) => page(caller, cursor, env);
    yield { path: INDEX, slices: slicesOf(() => access("files"), read, fileText) };
    for (let cursor: string | null = null; ; ) {
      const { entries, nextCursor }: { entries: StoredFile[]; nextCursor: string | null } = await read(
        await access("files"),
        cursor,
      );
      for (const { id, blob_key, size } of entries) {
        yield { path: contentPath(id), blob: { key: blob_key, size } };
      }
      if (nextCursor === null) return;
      cursor = nextCursor;
    }
  },
  async import(to) {
    for await (const batch of to.archive.lines(INDEX)) {
      for (const { number, value } of batch) {
        await to.access("files");
        const line = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
        const reason = await importFile(line, to).then(() => null, codeOf);
        if (reason === null) to.report.add("files");
        else to.report.skip(INDEX, reason, number);
      }
    }
  },
  async summary({ id }, { db }) {
    const [row] = await db.all<{ count: number; bytes: number | null }>`
      select count(*) as count, (select bytes from file_bytes where canvas_id = ${id}) as bytes
      from files where canvas_id = ${id}`;
    return { files: { count: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0) } };
  },
};

/**
 * Returns a map of all records in an archive that have attachments. The keys are their ids. The values are empty until the import sets
 * them.
 */
export async function attachedRecords(archive: Import["archive"]): Promise<Map<string, string>> {
  const attached = new Map<string, string>();
  for await (const batch of archive.lines(INDEX)) {
    for (const { value } of batch) {
      const id = textIn((Object(value) as Line).recordId);
      if (id !== undefined && isId(id)) attached.set(id, "");
    }
  }
  return attached;
}
