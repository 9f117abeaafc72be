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
import { KvStore } from "./store.ts";

const OK = '{"ok":true}';

/** A set of keys: those that a canvas shares, or those of one viewer (specification 4.3). */
interface Scope {
  /** The number of keys until an administrator sets another quota. */
  limit: number;
  read: Permission;
  write: Permission;
  /** Returns the id of the scope in the store. */
  id(call: Call): string;
  /** Describes a write to those who watch the scope. */
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

/** Returns the key of a write. 404 for an empty one, after which no list could continue. */
function keyOf({ params }: Call): string {
  const { key = "" } = params;
  if (key === "") refuse("NOT_FOUND");
  return Buffer.byteLength(key) > LIMITS.kvKeyBytes.value ? refuse("KEY_TOO_LARGE") : key;
}

/** Parses `by` of an increment: 1 if the body is missing, malformed or without it. */
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

/** Builds the routes of a scope below `path`. */
function routesOf(path: string, scope: Scope): Primitive["routes"] {
  const store = (call: Call, env: Env) => new KvStore(env.db, call.canvas.id, scope.id(call));
  /** Returns the store for a caller who may read it. */
  const readable = (call: Call, env: Env) => {
    requirePermission(call, scope.read);
    return store(call, env);
  };
  /** Returns the key of a call whose caller may write it. */
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

/** Key-value data, shared and per viewer (specification 4.3). */
export const kv: Primitive = {
  capability: "kv",
  data: kvData,
  routes: { ...routesOf("/kv", shared), ...routesOf("/kv/user", perViewer) },
};
