import type { Json } from "@easel/protocol/types";
import type { Env } from "../../env.ts";
import { parseJson } from "../../http/body.ts";
import { firstValue, pageLimit } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import { announceChange } from "../change-feed.ts";
import { type Call, type Primitive, requirePermission, withBody } from "../primitive.ts";
import { streamList } from "../streamed-list.ts";
import { absent, readValue, toText } from "../value.ts";
import {
  perViewer,
  readableStore,
  requireKey,
  type Scope,
  shared,
  storableValue,
  storeOf,
} from "./kv-scope.ts";
import { kvOperations } from "./operations.ts";
import { entryText, kvData } from "./store.ts";

const OK = '{"ok":true}';

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
  const store = (call: Call, env: Env) => storeOf(call, scope, env);
  const readable = (call: Call, env: Env) => readableStore(call, scope, env);
  /** Returns the key that a call writes. Throws 403 `PERMISSION_DENIED` if the caller may not write to the scope. */
  const writableKey = (call: Call): string => {
    requirePermission(call, scope.write);
    return requireKey(call.params.key ?? "");
  };
  /** Publishes a change. `value` is the JSON text of the new value. */
  const publish = (call: Call, key: string, op: "set" | "delete", env: Env, value?: string) =>
    announceChange(call.canvas.id, scope.change(call, key, op), env, value);

  return {
    [path]: {
      async GET(call, env) {
        const prefix = firstValue(call.query, "prefix") ?? "";
        const cursor = firstValue(call.query, "cursor") ?? null;
        return streamList(
          call,
          pageLimit(call.query),
          (now, limit, after) => readable(now, env).list({ prefix, cursor: after ?? cursor, limit }),
          entryText,
        );
      },
    },
    [`${path}/:key`]: {
      async GET(call, env) {
        const found = await readable(call, env).get(call.params.key as string);
        return found === undefined ? absent(call) : `{"value":${toText(found)}}`;
      },
      PUT: withBody({
        may: writableKey,
        read: readValue,
        async run(call, key, body, env) {
          const value = storableValue(parseJson(body));
          if (!(await store(call, env).put(key, value, scope.limit))) refuse("KEY_LIMIT");
          publish(call, key, "set", env, toText(value));
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
          const text = JSON.stringify(value);
          publish(call, key, "set", env, text);
          return `{"value":${text}}`;
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
