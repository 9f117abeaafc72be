import type { Json } from "@easel/protocol/types";
import { allows } from "../../access/rights.ts";
import { entryOf, policyOf } from "../../canvases/policy.ts";
import { copiedId, newId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { announceChange } from "../change-feed.ts";
import type { GatedCaller } from "../primitive.ts";
import { codeOf, importLines } from "../transfer/import-lines.ts";
import { type Import, linesPath, slicesOf, type Transfer } from "../transfer/transfer.ts";
import { type Opened, openCollection } from "./open-collection.ts";
import { RECORD_ID, type RecordQuery } from "./record-query.ts";
import { recordText, type StoredRecord } from "./store.ts";

const FOLDER = "collections";

const QUERY: Omit<RecordQuery, "after"> = {
  conditions: [],
  order: { by: "createdAt" },
  descending: false,
  limit: 100,
};

/** Imports records into one collection, with the rights of the caller. */
class RecordWriter {
  readonly #caller: GatedCaller;
  readonly #name: string;
  readonly #opened: Opened;
  readonly #to: Import;

  constructor(caller: GatedCaller, name: string, opened: Opened, to: Import) {
    this.#caller = caller;
    this.#name = name;
    this.#opened = opened;
    this.#to = to;
  }

  /**
   * Creates a record whose author is the caller, or changes the record with the given id. A record of another canvas gets a new id, which
   * is the same in every import by the same person, so that an interrupted import can be repeated.
   */
  async write(given: string | undefined, value: Json): Promise<string | null> {
    const { user, canvas } = this.#caller;
    const copy = given === undefined ? newId() : copiedId(given, [canvas.id, this.#name, user.id]);
    const found = given === undefined ? undefined : ((await this.#find(given)) ?? (await this.#find(copy)));
    if (found !== undefined) {
      this.#remember(given, found.id);
      return this.#replace(found, value);
    }
    const created = await this.#opened.records.create(value, this.#to.env.clock(), copy);
    if (created === null) {
      // Another import of the same archive may have created the record meanwhile.
      return (await this.#opened.records.hasOwn(copy)) ? "EXISTS" : refuse("KEY_LIMIT");
    }
    this.#remember(given, copy);
    this.#announce(created);
    return null;
  }

  #find(id: string): Promise<StoredRecord | undefined> {
    const { records, rights } = this.#opened;
    return RECORD_ID.test(id) ? records.get(id, rights.read) : Promise.resolve(undefined);
  }

  async #replace(record: StoredRecord, value: Json): Promise<string | null> {
    if (this.#to.existing === "keep") return "EXISTS";
    const { records, rights } = this.#opened;
    if (!allows(rights.update, record.author_id === this.#caller.user.id)) refuse("PERMISSION_DENIED");
    const now = this.#to.env.clock();
    const stored = (await records.update(record, value, now)) ?? refuse("NOT_FOUND");
    this.#announce({ ...record, ...stored, updated_at: now });
    return null;
  }

  /** Stores the id of an imported record if the archive has attachments for it. */
  #remember(given: string | undefined, id: string): void {
    const { attached } = this.#to;
    if (given !== undefined && attached.has(given)) attached.set(given, id);
  }

  #announce(record: StoredRecord): void {
    const { id, author_id } = record;
    const change = { resource: "collection", name: this.#name, id, op: "set", of: author_id } as const;
    announceChange(this.#caller.canvas.id, change, this.#to.env, recordText(record));
  }
}

async function* exported(name: string, access: () => Promise<GatedCaller>, env: Env) {
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
      await importLines(path, collectionsTransfer, to, async (caller) => {
        const writer = new RecordWriter(
          caller,
          name,
          await openCollection(caller, name, "create", to.env),
          to,
        );
        return async ({ id, value }) => {
          if ((id !== undefined && typeof id !== "string") || value === undefined) refuse("INVALID_BODY");
          return writer.write(id, value);
        };
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
