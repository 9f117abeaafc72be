import { LIMITS } from "@easel/protocol/limits";
import type { Json, Permission } from "@easel/protocol/types";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import type { Change } from "../change-feed.ts";
import { type RuntimeCaller, requirePermission } from "../primitive.ts";
import { type Stored, toStored } from "../value.ts";
import { KvStore } from "./store.ts";

/** One of the two kinds of KV scopes: keys that all users of a canvas share, or keys that belong to one user (specification 4.3). */
export interface Scope {
  /** The maximum number of keys, unless an administrator has set another quota. */
  limit: number;
  read: Permission;
  write: Permission;
  /** Returns the id of the scope in the database: the empty string for shared keys, otherwise the id of the user. */
  id(caller: RuntimeCaller): string;
  /** Returns the change to publish after a write, for the connections that watch the scope. */
  change(caller: RuntimeCaller, key: string, op: "set" | "delete"): Change;
}

export const shared: Scope = {
  limit: LIMITS.kvKeysShared.value,
  read: "canReadSharedData",
  write: "canWriteSharedData",
  id: () => "",
  change: (_caller, key, op) => ({ resource: "kv", key, op }),
};

export const perViewer: Scope = {
  limit: LIMITS.kvKeysUser.value,
  read: "canSavePreferences",
  write: "canSavePreferences",
  id: ({ user }) => user.id,
  change: ({ user }, key, op) => ({ resource: "kv.user", key, op, of: user.id }),
};

/** Returns the store of a scope. Checks no permission. */
export const storeOf = (caller: RuntimeCaller, scope: Scope, { db }: Env): KvStore =>
  new KvStore(db, caller.canvas.id, scope.id(caller));

/** Returns the store of a scope. Throws 403 `PERMISSION_DENIED` if the caller may not read the scope. */
export function readableStore(caller: RuntimeCaller, scope: Scope, env: Env): KvStore {
  requirePermission(caller, scope.read);
  return storeOf(caller, scope, env);
}

/**
 * Returns a key that is to be written. Throws 404 `NOT_FOUND` for an empty key, because an empty cursor means the start of a list. Throws
 * 413 `KEY_TOO_LARGE` for a key that is too long.
 */
export function requireKey(key: string): string {
  if (key === "") refuse("NOT_FOUND");
  return Buffer.byteLength(key) > LIMITS.kvKeyBytes.value ? refuse("KEY_TOO_LARGE") : key;
}

/** Converts a value of a key to its stored form. Throws 400 `INVALID_BODY` for null, and 413 `VALUE_TOO_LARGE` for a large value. */
export function storableValue(value: Json): Stored {
  if (value === null)
    refuse("INVALID_BODY", { message: "The value must not be null; delete the key instead." });
  return toStored(value);
}
