import { OPERATIONS } from "@easel/protocol/policy";
import type { Rights } from "@easel/protocol/types";
import { z } from "zod";
import { exact } from "../../http/field-schemas.ts";
import type { ErrorCase } from "../../http/refusal.ts";
import { type Description, json, jsonBody, nextCursor, paging } from "../description.ts";
import { phase, phaseBody } from "../phase-route.ts";
import { optionalRead, orAbsent } from "../value.ts";

/** The schema of the caller's rights on a collection or a file group. */
export const rights = exact<Rights>()(
  "Rights",
  z.record(z.enum(OPERATIONS), z.strictObject({ own: z.boolean(), any: z.boolean() })),
);

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

/** Describes the routes for collections for the OpenAPI document. */
export const collectionsOperations: Description = {
  title: "Collections",
  summary:
    "Named lists of JSON records. The policy of the canvas configures each collection and says who may read, create, change and delete its records.",
  operations: {
    "GET /collections/:name": {
      id: "record.list",
      summary: "Lists the records that the caller may read, the oldest first.",
      query: z.object({ where, orderBy, ...paging }),
      responses: json("A page of records.", page),
      errors: ERRORS,
    },
    "POST /collections/:name": {
      id: "record.create",
      summary: "Creates a record, whose author is the caller.",
      body: jsonBody(z.json()),
      responses: json("The record as stored.", record, 201),
      errors: [...ERRORS, "VALUE_TOO_LARGE", "KEY_LIMIT", "NOT_UNIQUE"],
    },
    "DELETE /collections/:name": {
      id: "record.clear",
      summary: "Deletes the records that the caller may both read and delete.",
      responses: json(
        "The number of deleted records.",
        z.strictObject({ deleted: z.int(), attachmentCleanupFailed }),
      ),
      errors: ERRORS,
    },
    "GET /collections/:name/permissions": {
      id: "record.permissions",
      summary: "Returns what the caller may do with their own records (`own`) and with all records (`any`).",
      responses: json("The rights by operation.", rights),
      errors: ["COLLECTION_NOT_CONFIGURED"],
    },
    "GET /collections/:name/count": {
      id: "record.count",
      summary: "Counts records.",
      details:
        "Only for the audience that `aggregateCount` of the policy names. Without `where`, counts all records, also those that the caller may not read.",
      query: z.object({ where }),
      responses: json("The number of records.", z.strictObject({ count: z.int() })),
      errors: ERRORS,
    },
    "GET /collections/:name/phase": {
      id: "record.phase",
      summary: "Returns the current phase of a collection, and the phases of its policy.",
      responses: json("The phase.", phase),
      errors: ["COLLECTION_NOT_CONFIGURED"],
    },
    "PUT /collections/:name/phase": {
      id: "record.setPhase",
      summary:
        "Switches the phase of a collection, as its owner or editor: another set of rights applies at once.",
      body: jsonBody(phaseBody),
      responses: json("The phase as it is now.", phase),
      errors: [...ERRORS, "VALUE_TOO_LARGE"],
    },
    "GET /collections/:name/:id": {
      id: "record.get",
      summary: "Returns a record.",
      query: optionalRead,
      responses: json("The record.", orAbsent(record)),
      errors: ERRORS,
    },
    "PUT /collections/:name/:id": {
      id: "record.update",
      summary: "Replaces the value of a record. Its author stays the same.",
      body: jsonBody(z.json()),
      responses: json("The record as stored.", record),
      errors: [...ERRORS, "VALUE_TOO_LARGE", "NOT_UNIQUE"],
    },
    "DELETE /collections/:name/:id": {
      id: "record.delete",
      summary: "Deletes a record and its attachments.",
      responses: json(
        "The record is deleted.",
        z.strictObject({ ok: z.literal(true), attachmentCleanupFailed }),
      ),
      errors: ERRORS,
    },
    "POST /collections/:name/:id/increment": {
      id: "record.increment",
      summary: "Adds an amount to a record whose value is a number, in one atomic step.",
      body: jsonBody(z.object({ by: z.number() })),
      responses: json("The record as stored.", record),
      errors: [...ERRORS, "VALUE_TOO_LARGE", "NOT_NUMERIC"],
    },
  },
};
