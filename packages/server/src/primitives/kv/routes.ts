import { LIMITS } from "@easel/protocol/limits";
import type { Json, Permission } from "@easel/protocol/types";
import type { Env } from "../../env.ts";
import { parseJson } from "../../http/body.ts";
import { firstValue, pageLimit } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import { announceChange, type Change } from "../change-feed.ts";
import type { Call, Primitive } from "../primitive.ts";
import { requirePermission } from "../require-permission.ts";
import { streamList } from "../streamed-list.ts";
import { readValue, toStored, toText } from "../value.ts";
import { withBody } from "../with-body.ts";
import { kvData } from "./data.ts";
import { kvOperations } from "./operations.ts";
import { KvStore } from "./store.ts";

const OK = '{"ok":true}';

/** One of the two kinds of KV scopes: keys that all users of a canvas share, or keys that belong to one user (specification 4.3). */
interface Scope {
  /** The maximum number of keys, unless an administrator has set another quota. */
  limit: number;
  read: Permission;
  write: Permission;
  /** Returns the id of the scope in the database: the empty string for shared keys, otherwise the id of the user. */
  id(call: Call): string;
  /** Returns the change to publish after a write, for the connections that watch the scope. */
  change(call: Call, key: string, op: "set" | "delete"): Change;
}

const shared: Scope = {
  limit: LIMITS.kvKeysShared.value,
  read: "canReadSharedData",
  write: "canWriteSharedData",
  id: () => "",
  change: (_call, key, op) => ({ resource: "kv", key, op }),
};

const perViewer: Scope = {
  limit: LIMITS.kvKeysUser.value,
  read: "canSavePreferences",
  write: "canSavePreferences",
  id: ({ user }) => user.id,
  change: ({ user }, key, op) => ({ resource: "kv.user", key, op, of: user.id }),
};

/**
 * Returns the key that a request writes. Throws 404 `NOT_FOUND` for an empty key, because an empty cursor means the start of a list. Throws
 * 413 `KEY_TOO_LARGE` for a key that is too long.
 */
function keyOf({ params }: Call): string {
  const { key = "" } = params;
  if (key === "") refuse("NOT_FOUND");
  return Buffer.byteLength(key) > LIMITS.kvKeyBytes.value ? refuse("KEY_TOO_LARGE") : key;
}

/**
 * Parses the amount `by` in the body of an increment. Returns 1 if the body is missing, is not a JSON object or has no `by`. Throws 400
 * `INVALID_BODY` if `by` is not a finite number.
 */
function parseAmount(bytes: Buffer): number {
  let given: Json;
  try {
    given = JSON.parse(bytes.toString("utf8"));
  } catch {
    return 1;
  }
  if (typeof given !== "object" || given === null || Array.isArray(given) || given.by === undefined) return 1;
  if (typeof given.by === "number" && Number.isFinite(given.by)) return given.by;
  return refuse("INVALID_BODY", { message: "`by` must be a finite number." });
}

/** Builds the routes of a scope. All their paths begin with `path`. */
function routesOf(path: string, scope: Scope): Primitive["routes"] {
  const store = (call: Call, env: Env) => new KvStore(env.db, call.canvas.id, scope.id(call));
  /** Returns the store of the scope. Throws 403 `PERMISSION_DENIED` if the caller may not read the scope. */
  const readable = (call: Call, env: Env) => {
    requirePermission(call, scope.read);
    return store(call, env);
  };
  /** Returns the key that a call writes. Throws 403 `PERMISSION_DENIED` if the caller may not write to the scope. */
  const writableKey = (call: Call): string => {
    requirePermission(call, scope.write);
    return keyOf(call);
  };
  const publish = (call: Call, key: string, op: "set" | "delete", env: Env) =>
    announceChange(call.canvas.id, scope.change(call, key, op), env);

  return {
    [path]: {
      async GET(call, env) {
        const prefix = firstValue(call.query, "prefix") ?? "";
        const cursor = firstValue(call.query, "cursor") ?? null;
        return streamList(
          call,
          pageLimit(call.query),
          (now, limit, after) => readable(now, env).list({ prefix, cursor: after ?? cursor, limit }),
          (entry) => `{"key":${JSON.stringify(entry.key)},"value":${toText(entry)}}`,
        );
      },
    },
    [`${path}/:key`]: {
      async GET(call, env) {
        const found = await readable(call, env).get(call.params.key as string);
        return found === undefined ? refuse("NOT_FOUND") : `{"value":${toText(found)}}`;
      },
      PUT: withBody({
        may: writableKey,
        read: readValue,
        async run(call, key, body, env) {
          const value = parseJson(body);
          if (value === null)
            refuse("INVALID_BODY", { message: "The value must not be null; delete the key instead." });
          if (!(await store(call, env).put(key, toStored(value), scope.limit))) refuse("KEY_LIMIT");
          publish(call, key, "set", env);
          return OK;
        },
      }),
      async DELETE(call, env) {
        const key = writableKey(call);
        if (await store(call, env).delete(key)) publish(call, key, "delete", env);
        return OK;
      },
    },
    [`${path}/:key/increment`]: {
      POST: withBody({
        may: writableKey,
        read: readValue,
        async run(call, key, body, env) {
          const value = await store(call, env).increment(key, parseAmount(body), scope.limit);
          if (typeof value === "string") refuse(value);
          publish(call, key, "set", env);
          return `{"value":${JSON.stringify(value)}}`;
        },
      }),
    },
  };
}

/** The KV primitive: keys with JSON values, shared by all users of a canvas or per user (specification 4.3). */
export const kv: Primitive = {
  capability: "kv",
  description: kvOperations,
  data: kvData,
  readable: true,
  routes: { ...routesOf("/kv", shared), ...routesOf("/kv/user", perViewer) },
};
