import type { Json } from "@easel/protocol/types";
import { entryOf, policyOf } from "../../canvases/policy.ts";
import { copiedId, newId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { inputOf, refuseExisting } from "../../operations/operation.ts";
import type { RuntimeCaller } from "../primitive.ts";
import { codeOf, importLines } from "../transfer/import-lines.ts";
import { type Import, linesPath, slicesOf, type Transfer } from "../transfer/transfer.ts";
import { ABSENT } from "../value.ts";
import { openCollection } from "./open-collection.ts";
import { createRecord, getRecord, updateRecord } from "./operations.ts";
import type { RecordQuery } from "./record-query.ts";
import { recordText } from "./store.ts";

const FOLDER = "collections";

const QUERY: Omit<RecordQuery, "after"> = {
  conditions: [],
  order: { by: "createdAt" },
  descending: false,
  limit: 100,
};

/**
 * Creates a record whose author is the caller, or changes the record with the given id. A record of another canvas gets a new id, which is
 * the same in every import by the same person, so that an interrupted import can be repeated.
 */
async function importRecord(
  caller: RuntimeCaller,
  name: string,
  given: string | undefined,
  value: Json,
  { existing, attached, env }: Import,
): Promise<void> {
  const copy = given === undefined ? newId() : copiedId(given, [caller.canvas.id, name, caller.user.id]);
  /** Remembers the id of an imported record if the archive has attachments for it. */
  const remember = (id: string) => {
    if (given !== undefined && attached.has(given)) attached.set(given, id);
  };
  const body = { value };
  for (const id of given === undefined ? [] : [given, copy]) {
    const read = inputOf({ params: { name, id }, query: { optional: "true" } });
    if ((await getRecord.perform(caller, read, env)) === ABSENT) continue;
    remember(id);
    if (existing === "keep") refuseExisting();
    await updateRecord.perform(caller, inputOf({ params: { name, id }, body }), env);
    return;
  }
  await createRecord.perform(caller, inputOf({ params: { name }, body, local: { id: copy } }), env);
  remember(copy);
}

async function* exported(name: string, access: () => Promise<RuntimeCaller>, env: Env) {
  yield* slicesOf(
    access,
    async (caller, cursor) => {
      const { records, rights } = await openCollection(caller, name, "read", env);
      const after = cursor === null ? null : { at: null, id: cursor };
      return records.list({ ...QUERY, after }, rights.read);
    },
    recordText,
  );
}

/** Exports the records that the caller may read, and imports records as records of the caller. */
export const collectionsTransfer: Transfer = {
  part: "collections",
  capability: "kv",
  paths: /^collections\/[^/]+\.jsonl$/,
  async *export({ access, env, leaveOut }) {
    const caller = await access("kv");
    for (const name of Object.keys((await policyOf(caller.canvas, env)).collections ?? {})) {
      const path = linesPath(FOLDER, name);
      const refused = await openCollection(caller, name, "read", env).then(() => null, codeOf);
      if (refused !== null) leaveOut(path, refused);
      else yield { path, slices: exported(name, () => access("kv"), env) };
    }
  },
  async import(to) {
    for (const { name, path } of to.archive.collections(FOLDER)) {
      await importLines(path, collectionsTransfer, to, async (caller, { id, value }) => {
        if ((id !== undefined && typeof id !== "string") || value === undefined) refuse("INVALID_BODY");
        await importRecord(caller, name, id, value, to);
      });
    }
  },
  async summary(canvas, env) {
    const rows = await env.db.all<{ name: string; records: number; bytes: number }>`
      select collection as name, count(*) as records, sum(coalesce(octet_length(value), 8)) as bytes
      from records where canvas_id = ${canvas.id} group by collection`;
    const { collections = {} } = await policyOf(canvas, env);
    const stored = new Map(rows.map((row) => [row.name, row]));
    const names = [...new Set([...Object.keys(collections), ...stored.keys()])].sort();
    return {
      collections: names.map((name) => ({
        name,
        records: Number(stored.get(name)?.records ?? 0),
        bytes: Number(stored.get(name)?.bytes ?? 0),
        preset: entryOf(collections, name)?.preset ?? null,
      })),
    };
  },
};
