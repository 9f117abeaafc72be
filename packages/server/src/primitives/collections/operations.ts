import type { Operation } from "@easel/protocol/policy";
import type { Json, Right } from "@easel/protocol/types";
import { z } from "zod";
import { allows, audienceIncludes } from "../../access/rights.ts";
import type { Env } from "../../env.ts";
import { ifMatch } from "../../http/preconditions.ts";
import { type ErrorCase, refuse } from "../../http/refusal.ts";
import { type Message, refuseExisting } from "../../operations/operation.ts";
import { announceChange } from "../change-feed.ts";
import { json, nextCursor, paging, rights } from "../description.ts";
import { AttachmentRemoval } from "../files/attachments.ts";
import { phaseOperations } from "../phase-operations.ts";
import { operation, type Primitive, type RuntimeCaller } from "../primitive.ts";
import { type ReadSlice, streamList } from "../streamed-list.ts";
import { absent, optionalRead, orAbsent, valueBody } from "../value.ts";
import { type Opened, openCollection } from "./open-collection.ts";
import { RecordList } from "./record-list.ts";
import { parseQuery, parseWhere, RECORD_ID } from "./record-query.ts";
import { collectionsData, recordText, type StoredRecord } from "./store.ts";

const record = z
  .strictObject({ id: z.string(), authorId: z.string(), value: z.json(), updatedAt: z.int() })
  .meta({ id: "CollectionRecord" });

const page = z.strictObject({ entries: z.array(record), nextCursor }).meta({ id: "RecordPage" });

const attachmentCleanupFailed = z.int().meta({
  description:
    "The number of attachments that are not removed yet. They are hidden already and removed later.",
});

const where = z.string().optional().meta({
  description:
    'Conditions on fields of the records, as JSON: `{"value.status": "open", "value.votes": {"gte": 3}}`. The fields are `authorId` and `value.{field}`; the comparisons are `eq`, `lt`, `lte`, `gt`, `gte` and `startsWith`, at most three.',
});

const orderBy = z.string().default("createdAt").meta({
  description: "`createdAt`, `updatedAt` or `value.{field}`; descending with a leading hyphen.",
});

const ERRORS: ErrorCase[] = ["COLLECTION_NOT_CONFIGURED", "PERMISSION_DENIED"];

/**
 * The right that applies to a count without `where`: it includes the records that the caller may not read. Whether a caller may count is
 * decided only by `aggregateCount` in the policy.
 */
const ALL_RECORDS: Right = { own: true, any: true };

type InCollection = { params: { name: string } };
type AtRecord = { params: { name: string; id: string } };

/** Returns a function that opens the collection in the path, as `openCollection` does. */
const open =
  (operation: Operation | null) =>
  (caller: RuntimeCaller, { params: { name } }: InCollection, env: Env): Promise<Opened> =>
    openCollection(caller, name, operation, env);

const opened = open(null);

/** Returns the record in the path, or undefined if there is none that the caller may read. */
const readRecord = async ({ params: { id } }: AtRecord, { rights: { read }, records }: Opened) =>
  RECORD_ID.test(id) ? records.get(id, read) : undefined;

/** A collection as in `Opened`, and one of its records. */
interface OpenedRecord extends Opened {
  record: StoredRecord;
}

/**
 * Returns a function that finds the collection and the record in the path. It throws 404 `NOT_FOUND` if the caller cannot read the record,
 * and 403 `PERMISSION_DENIED` if the caller may not do the operation with it.
 */
const openRecord =
  (operation: Operation) =>
  async (caller: RuntimeCaller, given: AtRecord, env: Env): Promise<OpenedRecord> => {
    const collection = await opened(caller, given, env);
    const record = (await readRecord(given, collection)) ?? refuse("NOT_FOUND");
    const isOwn = record.author_id === caller.user.id;
    return allows(collection.rights[operation], isOwn)
      ? { ...collection, record }
      : refuse("PERMISSION_DENIED");
  };

/** The request header that makes a write of a record conditional. */
const headers = {
  "If-Match":
    "The `updatedAt` of the record as it was read, in double quotes: the write happens only if the record is still the same, otherwise 412 `RECORD_CHANGED` with the record as it is now.",
};

/**
 * Calls `write` with the record until it does not return null, which says that the record is no longer what was read. `isConditional`: the
 * write must then change nothing. Throws 412 `RECORD_CHANGED` with the record as it is now if `If-Match` does not name it, and 404
 * `NOT_FOUND` if there is no longer one that the caller may read: a precondition counts only where the request would succeed without it
 * (RFC 9110, 13.2.1).
 */
async function writeRecord<Result>(
  { record, records, rights: { read } }: OpenedRecord,
  message: Message,
  write: (found: StoredRecord, isConditional: boolean) => Promise<Result | null>,
): Promise<Result> {
  const matches = ifMatch(message.headers);
  let found: StoredRecord | undefined = record;
  while (found !== undefined) {
    if (matches !== null && !matches(String(found.updated_at)))
      refuse("RECORD_CHANGED", { record: JSON.parse(recordText(found)) });
    const written = await write(found, matches !== null);
    if (written !== null) return written;
    found = await records.get(found.id, read);
  }
  return refuse("NOT_FOUND");
}

/**
 * Publishes the change or removal of a record to the connections that watch the collection. `text` is the new record as JSON text.
 */
function publishChange(
  { canvas }: RuntimeCaller,
  { params: { name } }: InCollection,
  { id, author_id }: Pick<StoredRecord, "id" | "author_id">,
  env: Env,
  text?: string,
): void {
  const op = text === undefined ? "delete" : "set";
  announceChange(canvas.id, { resource: "collection", name, id, op, of: author_id }, env, text);
}

/** Publishes a record that was created or changed, and returns it as JSON text. */
function publishRecord(caller: RuntimeCaller, given: InCollection, changed: StoredRecord, env: Env): string {
  const text = recordText(changed);
  publishChange(caller, given, changed, env, text);
  return text;
}

const amount = z.object({ by: z.number() });

/** Returns the number `by` in the body of an increment. Throws 400 `INVALID_BODY` if it is not a number. */
function amountIn(given: Json): number {
  const by = typeof given === "object" && given !== null && !Array.isArray(given) ? given.by : undefined;
  return typeof by === "number" ? by : refuse("INVALID_BODY", { message: "`by` must be a finite number." });
}

/** Any JSON value. */
const valueGiven = valueBody(z.json(), { accept: (given) => given });

export const createRecord = operation({
  name: "record.create",
  cost: "cheap",
  method: "POST",
  path: "/collections/{name}",
  summary: "Creates a record, whose author is the caller.",
  responses: json("The record as stored.", record, 201),
  errors: [...ERRORS, "VALUE_TOO_LARGE", "KEY_LIMIT", "NOT_UNIQUE"],
  may: open("create"),
  body: valueGiven,
  async run(caller, { params, subject: { records }, body, local: { id } }, env) {
    const created = await records.create(body, env.clock(), id);
    if (created === null) {
      // Another call may have created the record with this id meanwhile.
      if (id !== undefined && (await records.hasOwn(id))) refuseExisting();
      return refuse("KEY_LIMIT");
    }
    return { status: 201, body: publishRecord(caller, { params }, created, env) };
  },
});

export const getRecord = operation({
  name: "record.get",
  cost: "cheap",
  method: "GET",
  path: "/collections/{name}/{id}",
  summary: "Returns a record.",
  responses: json("The record.", orAbsent(record)),
  errors: ERRORS,
  may: opened,
  query: optionalRead,
  async run(_caller, { params, subject, query }) {
    const found = await readRecord({ params }, subject);
    return found === undefined ? absent(query) : recordText(found);
  },
});

export const updateRecord = operation({
  name: "record.update",
  cost: "cheap",
  method: "PUT",
  path: "/collections/{name}/{id}",
  summary: "Replaces the value of a record. Its author stays the same.",
  responses: json("The record as stored.", record),
  headers,
  errors: [...ERRORS, "VALUE_TOO_LARGE", "NOT_UNIQUE", "RECORD_CHANGED"],
  may: openRecord("update"),
  body: valueGiven,
  async run(caller, { params, subject, body, message }, env) {
    const changed = await writeRecord(subject, message, (found, unchanged) =>
      subject.records.update(found, body, env.clock(), { unchanged }),
    );
    return publishRecord(caller, { params }, changed, env);
  },
});

/** The operations on collections, which are named groups of records with policies (specification 4.10). */
export const collections: Primitive = {
  capability: "kv",
  title: "Collections",
  summary:
    "Named lists of JSON records. The policy of the canvas configures each collection and says who may read, create, change and delete its records.",
  data: collectionsData,
  readable: true,
  optimistic: true,
  operations: [
    operation({
      name: "record.list",
      method: "GET",
      path: "/collections/{name}",
      summary: "Lists the records that the caller may read, the oldest first.",
      responses: json("A page of records.", page),
      errors: ERRORS,
      may: open("read"),
      query: { schema: z.object({ where, orderBy, ...paging }), parse: parseQuery },
      async run(caller, { params, query, work }, env) {
        const page = new RecordList(query);
        const read: ReadSlice<StoredRecord> = async (current, limit, after) => {
          const { rights: held, records } = await open("read")(current, { params }, env);
          return page.slice(records, held.read, limit, after);
        };
        return streamList(caller, query.limit, read, recordText, work);
      },
    }),
    createRecord,
    operation({
      name: "record.clear",
      method: "DELETE",
      path: "/collections/{name}",
      summary: "Deletes the records that the caller may both read and delete.",
      responses: json(
        "The number of deleted records.",
        z.strictObject({ deleted: z.int(), attachmentCleanupFailed }),
      ),
      errors: ERRORS,
      may: open("delete"),
      async run({ canvas, user }, { params: { name }, subject: { rights: held, records } }, env) {
        const of = held.delete.any ? null : user.id;
        const attachments = new AttachmentRemoval(canvas.id, name, env);
        let [deleted, isDone] = [0, false];
        try {
          for await (const ids of records.clear(held.delete)) {
            deleted += ids.length;
            await attachments.remove(ids);
          }
          isDone = true;
        } finally {
          // Watches are notified after a failure too, because records may have been removed before it.
          if (deleted > 0 || !isDone)
            announceChange(canvas.id, { resource: "collection", name, op: "clear", of }, env);
          attachments.announce();
        }
        return JSON.stringify({ deleted, attachmentCleanupFailed: attachments.failed });
      },
    }),
    operation({
      name: "record.permissions",
      cost: "cheap",
      method: "GET",
      path: "/collections/{name}/permissions",
      summary: "Returns what the caller may do with their own records (`own`) and with all records (`any`).",
      responses: json("The rights by operation.", rights),
      errors: ["COLLECTION_NOT_CONFIGURED"],
      may: opened,
      run: async (_caller, { subject }) => JSON.stringify(subject.rights),
    }),
    operation({
      name: "record.count",
      method: "GET",
      path: "/collections/{name}/count",
      summary: "Counts records.",
      details:
        "Only for the audience that `aggregateCount` of the policy names. Without `where`, counts all records, also those that the caller may not read.",
      responses: json("The number of records.", z.strictObject({ count: z.int() })),
      errors: ERRORS,
      async may(caller, given, env) {
        const collection = await opened(caller, given, env);
        const { aggregateCount = "none" } = collection.policy;
        return audienceIncludes(aggregateCount, caller.role) ? collection : refuse("PERMISSION_DENIED");
      },
      query: { schema: z.object({ where }), parse: parseWhere },
      async run(_caller, { subject: { rights: held, records }, query: conditions }) {
        const count =
          conditions === null ? await records.count(ALL_RECORDS) : await records.count(held.read, conditions);
        return `{"count":${count}}`;
      },
    }),
    ...phaseOperations({
      section: "collections",
      path: "/collections/{name}",
      prefix: "record",
      of: "a collection",
      open: async (caller, name, env) => (await openCollection(caller, name, null, env)).policy,
      reread: (name) => ({ resource: "collection", name, op: "clear", of: null }),
    }),
    getRecord,
    updateRecord,
    operation({
      name: "record.delete",
      cost: "cheap",
      method: "DELETE",
      path: "/collections/{name}/{id}",
      summary: "Deletes a record and its attachments.",
      responses: json(
        "The record is deleted.",
        z.strictObject({ ok: z.literal(true), attachmentCleanupFailed }),
      ),
      headers,
      errors: [...ERRORS, "RECORD_CHANGED"],
      may: openRecord("delete"),
      async run(caller, { params, subject, message }, env) {
        const found = await writeRecord(subject, message, async (found, unchanged) =>
          (await subject.records.delete(found.id, unchanged ? found.updated_at : undefined)) ? found : null,
        );
        publishChange(caller, { params }, found, env);
        const attachments = new AttachmentRemoval(caller.canvas.id, params.name, env);
        await attachments.remove([found.id]).finally(() => attachments.announce());
        return JSON.stringify({ ok: true, attachmentCleanupFailed: attachments.failed });
      },
    }),
    operation({
      name: "record.increment",
      cost: "cheap",
      method: "POST",
      path: "/collections/{name}/{id}/increment",
      summary: "Adds an amount to a record whose value is a number, in one atomic step.",
      responses: json("The record as stored.", record),
      errors: [...ERRORS, "VALUE_TOO_LARGE", "NOT_NUMERIC"],
      may: openRecord("increment"),
      body: valueBody(amount, { accept: amountIn }),
      async run(caller, { params, subject: { records, rights: held, record: found }, body: by }, env) {
        const now = env.clock();
        const changed = await records.increment(found.id, by, now);
        if (changed === undefined)
          return refuse((await records.get(found.id, held.read)) === undefined ? "NOT_FOUND" : "NOT_NUMERIC");
        return publishRecord(caller, { params }, { ...found, value: null, ...changed }, env);
      },
    }),
  ],
};
