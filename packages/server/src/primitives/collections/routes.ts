import type { Operation } from "@easel/protocol/policy";
import type { Json, Right } from "@easel/protocol/types";
import { allows, audienceIncludes } from "../../access/rights.ts";
import type { Env } from "../../env.ts";
import { parseJson } from "../../http/body.ts";
import { refuse } from "../../http/refusal.ts";
import { announceChange } from "../change-feed.ts";
import { AttachmentRemoval } from "../files/attachments.ts";
import { phaseRoute } from "../phase-route.ts";
import { type Call, type Primitive, withBody } from "../primitive.ts";
import { type ReadSlice, streamList } from "../streamed-list.ts";
import { absent, readValue } from "../value.ts";
import { type Opened, openCollection } from "./open-collection.ts";
import { collectionsOperations } from "./operations.ts";
import { parseCursor, parseQuery, parseWhere, RECORD_ID } from "./record-query.ts";
import { collectionsData, recordText, type StoredRecord } from "./store.ts";

/**
 * The right that applies to a count without `where`: it includes the records that the caller may not read. Whether a caller may count is
 * decided only by `aggregateCount` in the policy.
 */
const ALL_RECORDS: Right = { own: true, any: true };

/** Opens the collection in the path. See `openCollection`. */
const open = (call: Call, operation: Operation | null, env: Env): Promise<Opened> =>
  openCollection(call, call.params.name ?? "", operation, env);

/** Returns the record in the path, or undefined if there is none that the caller may read. */
async function readRecord({ params: { id = "" } }: Call, { rights, records }: Opened) {
  return RECORD_ID.test(id) ? records.get(id, rights.read) : undefined;
}

/**
 * Returns the record in the path. Throws 404 `NOT_FOUND` if the caller cannot read it, and 403 `PERMISSION_DENIED` if the caller may not do
 * the operation with it.
 */
async function findRecord(call: Call, opened: Opened, operation: Operation) {
  const { user } = call;
  const { rights } = opened;
  const record = (await readRecord(call, opened)) ?? refuse("NOT_FOUND");
  return allows(rights[operation], record.author_id === user.id) ? record : refuse("PERMISSION_DENIED");
}

/** A collection as in `Opened`, and one of its records. */
interface OpenedRecord extends Opened {
  record: StoredRecord;
}

/** Returns a function that finds the collection and the record in the path, and checks that the caller may do the operation with it. */
const openRecord =
  (operation: Operation) =>
  async (call: Call, env: Env): Promise<OpenedRecord> => {
    const opened = await open(call, null, env);
    return { ...opened, record: await findRecord(call, opened, operation) };
  };

/**
 * Publishes the change or removal of a record to the connections that watch the collection. `text` is the new record as JSON text.
 */
function publishChange(
  { params, canvas }: Call,
  { id, author_id }: Pick<StoredRecord, "id" | "author_id">,
  op: "set" | "delete",
  env: Env,
  text?: string,
): void {
  const { name = "" } = params;
  announceChange(canvas.id, { resource: "collection", name, id, op, of: author_id }, env, text);
}

/** Publishes a record that was created or changed, and returns it as JSON text. */
function publishRecord(call: Call, record: StoredRecord, env: Env): string {
  const text = recordText(record);
  publishChange(call, record, "set", env, text);
  return text;
}

/** Returns the number `by` from the body of an increment. Throws 400 `INVALID_BODY` if it is not a number. */
function parseAmount(given: Json): number {
  const by = typeof given === "object" && given !== null && !Array.isArray(given) ? given.by : undefined;
  return typeof by === "number" ? by : refuse("INVALID_BODY", { message: "`by` must be a finite number." });
}

/** The routes for collections, which are named groups of records with policies (specification 4.10). */
export const collections: Primitive = {
  capability: "kv",
  description: collectionsOperations,
  data: collectionsData,
  readable: true,
  routes: {
    "/collections/:name": {
      async GET(call, env) {
        await open(call, "read", env);
        const query = parseQuery(call.query);
        const read: ReadSlice<StoredRecord> = async (now, limit, after) => {
          const { rights, records } = await open(now, "read", env);
          const position = after === null ? query.after : parseCursor(after, query.order);
          return records.list({ ...query, limit, after: position }, rights.read);
        };
        return streamList(call, query.limit, read, recordText);
      },
      POST: withBody({
        may: (call, env) => open(call, "create", env),
        read: readValue,
        async run(call, { records }, body, env) {
          const record = (await records.create(parseJson(body), env.clock())) ?? refuse("KEY_LIMIT");
          return { status: 201, body: publishRecord(call, record, env) };
        },
      }),
      async DELETE(call, env) {
        const { rights, records } = await open(call, "delete", env);
        const of = rights.delete.any ? null : call.user.id;
        const { name = "" } = call.params;
        const attachments = new AttachmentRemoval(call.canvas.id, name, env);
        let [deleted, isDone] = [0, false];
        try {
          for await (const ids of records.clear(rights.delete)) {
            deleted += ids.length;
            await attachments.remove(ids);
          }
          isDone = true;
        } finally {
          // Watches are notified after a failure too, because records may have been removed before it.
          if (deleted > 0 || !isDone)
            announceChange(call.canvas.id, { resource: "collection", name, op: "clear", of }, env);
          attachments.announce();
        }
        return JSON.stringify({ deleted, attachmentCleanupFailed: attachments.failed });
      },
    },
    "/collections/:name/permissions": {
      async GET(call, env) {
        return JSON.stringify((await open(call, null, env)).rights);
      },
    },
    "/collections/:name/count": {
      async GET(call, env) {
        const { policy, rights, records } = await open(call, null, env);
        if (!audienceIncludes(policy.aggregateCount ?? "none", call.role)) refuse("PERMISSION_DENIED");
        const conditions = parseWhere(call.query);
        const count =
          conditions === null
            ? await records.count(ALL_RECORDS)
            : await records.count(rights.read, conditions);
        return `{"count":${count}}`;
      },
    },
    "/collections/:name/phase": phaseRoute({
      section: "collections",
      open: async (call, env) => (await open(call, null, env)).policy,
      reread: (name) => ({ resource: "collection", name, op: "clear", of: null }),
    }),
    "/collections/:name/:id": {
      async GET(call, env) {
        const record = await readRecord(call, await open(call, null, env));
        return record === undefined ? absent(call) : recordText(record);
      },
      PUT: withBody({
        may: openRecord("update"),
        read: readValue,
        async run(call, { records, record }, body, env) {
          const now = env.clock();
          const stored = (await records.update(record, parseJson(body), now)) ?? refuse("NOT_FOUND");
          return publishRecord(call, { ...record, ...stored, updated_at: now }, env);
        },
      }),
      async DELETE(call, env) {
        const { records, record } = await openRecord("delete")(call, env);
        if (!(await records.delete(record.id))) refuse("NOT_FOUND");
        publishChange(call, record, "delete", env);
        const { name = "" } = call.params;
        const attachments = new AttachmentRemoval(call.canvas.id, name, env);
        await attachments.remove([record.id]).finally(() => attachments.announce());
        return JSON.stringify({ ok: true, attachmentCleanupFailed: attachments.failed });
      },
    },
    "/collections/:name/:id/increment": {
      POST: withBody({
        may: openRecord("increment"),
        read: readValue,
        async run(call, { records, rights, record }, body, env) {
          const now = env.clock();
          const number = await records.increment(record.id, parseAmount(parseJson(body)), now);
          if (number === undefined) {
            refuse((await records.get(record.id, rights.read)) === undefined ? "NOT_FOUND" : "NOT_NUMERIC");
          }
          return publishRecord(call, { ...record, value: null, number, updated_at: now }, env);
        },
      }),
    },
  },
};
