import type { Json, KvEntry, KvPage } from "@easel/protocol/types";
import { z } from "zod";
import type { Env } from "../../env.ts";
import { exact } from "../../http/field-schemas.ts";
import { firstValue, pageLimit } from "../../http/query.ts";
import { type ErrorCase, refuse } from "../../http/refusal.ts";
import { type Parameters, refuseExisting } from "../../operations/operation.ts";
import { announceChange } from "../change-feed.ts";
import { json, nextCursor, OK, ok, paging } from "../description.ts";
import {
  operation,
  type Primitive,
  type RuntimeCaller,
  type RuntimeOperation,
  requirePermission,
} from "../primitive.ts";
import { streamList } from "../streamed-list.ts";
import { absent, optionalRead, orAbsent, toText, valueBody } from "../value.ts";
import {
  perViewer,
  readableStore,
  requireKey,
  type Scope,
  shared,
  storableValue,
  storeOf,
} from "./kv-scope.ts";
import { entryText, kvData } from "./store.ts";

const entry = exact<KvEntry>()("KvEntry", z.strictObject({ key: z.string(), value: z.json() }));

const page = exact<KvPage>()("KvPage", z.strictObject({ entries: z.array(entry), nextCursor }));

const value = z.json().meta({ description: "Any JSON value except null.", not: { type: "null" } });

const amount = z.object({
  by: z.number().default(1).meta({ description: "The amount, which may be negative." }),
});

const list: Parameters<{ prefix: string; cursor: string | null; limit: number }> = {
  schema: z.object({
    prefix: z.string().optional().meta({ description: "Only keys that begin with this text." }),
    ...paging,
  }),
  parse: (query) => ({
    prefix: firstValue(query, "prefix") ?? "",
    cursor: firstValue(query, "cursor") ?? null,
    limit: pageLimit(query),
  }),
};

/** The body with the amount of an increment. It counts as `{}` if it is missing or not a JSON object. */
const amountBody = {
  ...valueBody(amount, {
    decode(bytes): Json {
      try {
        return JSON.parse(bytes.toString("utf8"));
      } catch {
        return null;
      }
    },
    accept(given): number {
      if (typeof given !== "object" || given === null || Array.isArray(given) || given.by === undefined)
        return 1;
      if (typeof given.by === "number" && Number.isFinite(given.by)) return given.by;
      return refuse("INVALID_BODY", { message: "`by` must be a finite number." });
    },
  }),
  optional: true as const,
};

/** Publishes a change. `text` is the JSON text of the new value. */
const publish = (
  caller: RuntimeCaller,
  scope: Scope,
  change: { key: string; op: "set" | "delete"; text?: string },
  env: Env,
) => announceChange(caller.canvas.id, scope.change(caller, change.key, change.op), env, change.text);

/** Returns the operations on the keys of a scope. `of` is a phrase for the keys, which summaries such as "Lists …" contain. */
function operationsOn(
  scope: Scope,
  path: "/kv" | "/kv/user",
  { name, of, denied }: { name: string; of: string; denied: ErrorCase[] },
): Record<"list" | "get" | "set" | "delete" | "increment", RuntimeOperation> {
  /** Returns the key that a caller writes. Throws 403 `PERMISSION_DENIED` if the caller may not write to the scope. */
  const writable = (caller: RuntimeCaller, { params }: { params: { key: string } }): string => {
    requirePermission(caller, scope.write);
    return requireKey(params.key);
  };
  return {
    list: operation({
      name: `${name}.list`,
      method: "GET",
      path,
      summary: `Lists ${of}, in the order of the keys.`,
      details: "A `limit` outside 1 to 1,000 is clamped, and one that is not a number counts as absent.",
      query: list,
      responses: json("A page of entries.", page),
      async run(caller, { query: { prefix, cursor, limit: most }, work }, env) {
        return streamList(
          caller,
          most,
          (current, limit, after) =>
            readableStore(current, scope, env).list({ prefix, cursor: after ?? cursor, limit }),
          entryText,
          work,
        );
      },
    }),
    get: operation({
      name: `${name}.get`,
      cost: "cheap",
      method: "GET",
      path: `${path}/{key}`,
      summary: `Returns the value of one of ${of}.`,
      query: optionalRead,
      responses: json("The value.", orAbsent(z.strictObject({ value: z.json() }))),
      async run(caller, { params: { key }, query }, env) {
        const found = await readableStore(caller, scope, env).get(key);
        return found === undefined ? absent(query) : `{"value":${toText(found)}}`;
      },
    }),
    set: operation({
      name: `${name}.set`,
      cost: "cheap",
      method: "PUT",
      path: `${path}/{key}`,
      summary: `Sets one of ${of}.`,
      responses: ok,
      errors: [...denied, "KEY_TOO_LARGE", "VALUE_TOO_LARGE", "KEY_LIMIT"],
      may: writable,
      body: valueBody(value, { accept: storableValue }),
      async run(caller, { subject: key, body, local }, env) {
        const store = storeOf(caller, scope, env);
        if (local.keep) {
          const outcome = await store.add(key, body, scope.limit);
          if (outcome === "taken") refuseExisting();
          if (outcome === "full") refuse("KEY_LIMIT");
        } else if (!(await store.put(key, body, scope.limit))) refuse("KEY_LIMIT");
        publish(caller, scope, { key, op: "set", text: toText(body) }, env);
        return OK;
      },
    }),
    delete: operation({
      name: `${name}.delete`,
      cost: "cheap",
      method: "DELETE",
      path: `${path}/{key}`,
      summary: `Deletes one of ${of}.`,
      details: "Succeeds also if the key does not exist.",
      responses: ok,
      errors: [...denied, "KEY_TOO_LARGE"],
      may: writable,
      async run(caller, { subject: key }, env) {
        if (await storeOf(caller, scope, env).delete(key)) publish(caller, scope, { key, op: "delete" }, env);
        return OK;
      },
    }),
    increment: operation({
      name: `${name}.increment`,
      cost: "cheap",
      method: "POST",
      path: `${path}/{key}/increment`,
      summary: `Adds an amount to a number among ${of}, in one atomic step.`,
      details:
        "A key that does not exist counts as 0. A body that is missing, or is no JSON object, counts as `{}`.",
      responses: json("The new number.", z.strictObject({ value: z.number() })),
      errors: [...denied, "KEY_TOO_LARGE", "VALUE_TOO_LARGE", "KEY_LIMIT", "NOT_NUMERIC"],
      may: writable,
      body: amountBody,
      async run(caller, { subject: key, body: by }, env) {
        const number = await storeOf(caller, scope, env).increment(key, by, scope.limit);
        if (typeof number === "string") refuse(number);
        const text = JSON.stringify(number);
        publish(caller, scope, { key, op: "set", text }, env);
        return `{"value":${text}}`;
      },
    }),
  };
}

/** The operations on the keys that all users share, and on those of the caller. */
export const sharedKeys = operationsOn(shared, "/kv", {
  name: "kv",
  of: "the shared keys",
  denied: ["PERMISSION_DENIED"],
});
export const ownKeys = operationsOn(perViewer, "/kv/user", {
  name: "kv.user",
  of: "the caller's own keys",
  denied: [],
});

/** The KV primitive: keys with JSON values, shared by all users of a canvas or per user (specification 4.3). */
export const kv: Primitive = {
  capability: "kv",
  title: "Key-value store",
  summary:
    "JSON values by key. Shared keys are read by everyone admitted to the canvas and written by its owner and editors; every person also has keys of their own.",
  data: kvData,
  readable: true,
  optimistic: true,
  operations: [...Object.values(sharedKeys), ...Object.values(ownKeys)],
};
