import type { KvEntry, KvPage } from "@easel/protocol/types";
import { z } from "zod";
import { exact } from "../../http/field-schemas.ts";
import type { ErrorCase } from "../../http/refusal.ts";
import { type Description, json, jsonBody, nextCursor, ok, optionalBody, paging } from "../description.ts";
import { optionalRead, orAbsent } from "../value.ts";

const entry = exact<KvEntry>()("KvEntry", z.strictObject({ key: z.string(), value: z.json() }));

const page = exact<KvPage>()("KvPage", z.strictObject({ entries: z.array(entry), nextCursor }));

const value = z.json().meta({ description: "Any JSON value except null.", not: { type: "null" } });

const amount = z.object({
  by: z.number().default(1).meta({ description: "The amount, which may be negative." }),
});

const list = z.object({
  prefix: z.string().optional().meta({ description: "Only keys that begin with this text." }),
  ...paging,
});

/** Describes the routes of one KV scope. `of` is a phrase for the keys of the scope, which summaries such as "Lists …" contain. */
function scope(path: string, name: string, of: string, denied: ErrorCase[]): Description["operations"] {
  return {
    [`GET ${path}`]: {
      id: `${name}.list`,
      summary: `Lists ${of}, in the order of the keys.`,
      details: "A `limit` outside 1 to 1,000 is clamped, and one that is not a number counts as absent.",
      query: list,
      responses: json("A page of entries.", page),
    },
    [`GET ${path}/:key`]: {
      id: `${name}.get`,
      summary: `Returns the value of one of ${of}.`,
      query: optionalRead,
      responses: json("The value.", orAbsent(z.strictObject({ value: z.json() }))),
    },
    [`PUT ${path}/:key`]: {
      id: `${name}.set`,
      summary: `Sets one of ${of}.`,
      body: jsonBody(value),
      responses: ok,
      errors: [...denied, "KEY_TOO_LARGE", "VALUE_TOO_LARGE", "KEY_LIMIT"],
    },
    [`DELETE ${path}/:key`]: {
      id: `${name}.delete`,
      summary: `Deletes one of ${of}.`,
      details: "Succeeds also if the key does not exist.",
      responses: ok,
      errors: [...denied, "KEY_TOO_LARGE"],
    },
    [`POST ${path}/:key/increment`]: {
      id: `${name}.increment`,
      summary: `Adds an amount to a number among ${of}, in one atomic step.`,
      details:
        "A key that does not exist counts as 0. A body that is missing, or is no JSON object, counts as `{}`.",
      body: optionalBody(amount),
      responses: json("The new number.", z.strictObject({ value: z.number() })),
      errors: [...denied, "KEY_TOO_LARGE", "VALUE_TOO_LARGE", "KEY_LIMIT", "NOT_NUMERIC"],
    },
  };
}

/** Describes the routes of the KV primitive for the OpenAPI document. */
export const kvOperations: Description = {
  title: "Key-value store",
  summary:
    "JSON values by key. Shared keys are read by everyone admitted to the canvas and written by its owner and editors; every person also has keys of their own.",
  operations: {
    ...scope("/kv", "kv", "the shared keys", ["PERMISSION_DENIED"]),
    ...scope("/kv/user", "kv.user", "the caller's own keys", []),
  },
};
