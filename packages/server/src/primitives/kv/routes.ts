import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import { manages } from "../../access/roles.ts";
import type { Env } from "../../env.ts";
import { parseJson } from "../../http/body.ts";
import { one, pageLimit } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import { announce, type Change } from "../change-feed.ts";
import type { Call, Primitive } from "../primitive.ts";
import { listed } from "../streamed-list.ts";
import { toStored, toText, valueBytes } from "../value.ts";
import { withBody } from "../with-body.ts";
import { kvData } from "./data.ts";
import { KvStore } from "./store.ts";

const OK = '{"ok":true}';

/** The shared scope, or that of the viewer (specification 4.3). */
interface Scope {
  keys: number;
  id(call: Call): string;
  /** Whether the caller may change it. */
  mayWrite(call: Call): boolean;
  /** What those who watch it are told of a write. */
  change(call: Call, key: string, op: "set" | "delete"): Change;
}

const shared: Scope = {
  keys: LIMITS.kvKeysShared.value,
  id: () => "",
  mayWrite: ({ role }) => manages(role),
  change: (_call, key, op) => ({ resource: "kv", key, op }),
};

const perViewer: Scope = {
  keys: LIMITS.kvKeysUser.value,
  id: ({ user }) => user.id,
  mayWrite: () => true,
  change: ({ user }, key, op) => ({ resource: "kv.user", key, op, of: user.id }),
};

/** The key that a write names. An empty segment names nothing: no list could continue after it. */
function keyOf({ params }: Call): string {
  const { key = "" } = params;
  if (key === "") refuse("NOT_FOUND");
  return Buffer.byteLength(key) > LIMITS.kvKeyBytes.value ? refuse("KEY_TOO_LARGE") : key;
}

/** What to add: 1 when the body is missing, malformed or silent about it. */
function amount(bytes: Buffer): number {
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

/** The four routes of a scope below `path`. */
function scoped(path: string, scope: Scope): Primitive["routes"] {
  const store = (call: Call, env: Env) => new KvStore(env.db, call.canvas.id, scope.id(call));
  const tell = (call: Call, key: string, op: "set" | "delete", env: Env) =>
    announce(call.canvas.id, scope.change(call, key, op), env);
  /** The key that the caller may write to. */
  const writable = (call: Call): string => (scope.mayWrite(call) ? keyOf(call) : refuse("PERMISSION_DENIED"));

  return {
    [path]: {
      async GET(call, env) {
        const prefix = one(call.query, "prefix") ?? "";
        const cursor = one(call.query, "cursor") ?? null;
        return listed(
          call,
          pageLimit(call.query),
          (now, limit, after) => store(now, env).list({ prefix, cursor: after ?? cursor, limit }),
          (entry) => `{"key":${JSON.stringify(entry.key)},"value":${toText(entry)}}`,
        );
      },
    },
    [`${path}/:key`]: {
      async GET(call, env) {
        const found = await store(call, env).get(call.params.key as string);
        return found === undefined ? refuse("NOT_FOUND") : `{"value":${toText(found)}}`;
      },
      PUT: withBody({
        may: writable,
        read: valueBytes,
        async run(call, key, body, env) {
          const value = parseJson(body);
          if (value === null)
            refuse("INVALID_BODY", { message: "The value must not be null; delete the key instead." });
          if (!(await store(call, env).put(key, toStored(value), scope.keys))) refuse("KEY_LIMIT");
          tell(call, key, "set", env);
          return OK;
        },
      }),
      async DELETE(call, env) {
        const key = writable(call);
        if (await store(call, env).delete(key)) tell(call, key, "delete", env);
        return OK;
      },
    },
    [`${path}/:key/increment`]: {
      POST: withBody({
        may: writable,
        read: valueBytes,
        async run(call, key, body, env) {
          const value = await store(call, env).increment(key, amount(body), scope.keys);
          if (typeof value === "string") refuse(value);
          tell(call, key, "set", env);
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
  routes: { ...scoped("/kv", shared), ...scoped("/kv/user", perViewer) },
};
