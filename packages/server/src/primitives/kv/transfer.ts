import { refuse } from "../../http/refusal.ts";
import { announceChange } from "../change-feed.ts";
import { requirePermission } from "../primitive.ts";
import { importLines } from "../transfer/import-lines.ts";
import { slicesOf, type Transfer } from "../transfer/transfer.ts";
import { toText } from "../value.ts";
import {
  perViewer,
  readableStore,
  requireKey,
  type Scope,
  shared,
  storableValue,
  storeOf,
} from "./kv-scope.ts";
import { entryText } from "./store.ts";

const SLICE = 100;

/** The scopes and the paths of their files. Of the user scopes, an export contains only that of the caller. */
const SCOPES: [path: string, scope: Scope][] = [
  ["kv/shared.jsonl", shared],
  ["kv/user.jsonl", perViewer],
];

/** Exports and imports the keys of a canvas. */
export const kvTransfer: Transfer = {
  part: "kv",
  capability: "kv",
  paths: /^kv\/(shared|user)\.jsonl$/,
  async *export({ access, env }) {
    for (const [path, scope] of SCOPES) {
      const slices = slicesOf(
        () => access("kv"),
        (caller, cursor) => readableStore(caller, scope, env).list({ prefix: "", cursor, limit: SLICE }),
        entryText,
      );
      yield { path, slices };
    }
  },
  async import(to) {
    const { env, existing } = to;
    for (const [path, scope] of SCOPES) {
      await importLines(path, kvTransfer, to, async (caller) => {
        requirePermission(caller, scope.write);
        const store = storeOf(caller, scope, env);
        return async ({ key: given, value = null }) => {
          if (typeof given !== "string" || !given.isWellFormed()) refuse("INVALID_BODY");
          const key = requireKey(given);
          const stored = storableValue(value);
          const outcome =
            existing === "keep"
              ? await store.add(key, stored, scope.limit)
              : (await store.put(key, stored, scope.limit))
                ? "done"
                : "full";
          if (outcome === "taken") return "EXISTS";
          if (outcome === "full") return refuse("KEY_LIMIT");
          announceChange(caller.canvas.id, scope.change(caller, key, "set"), env, toText(stored));
          return null;
        };
      });
    }
  },
  async summary({ id }, { db }) {
    const rows = await db.all<{ shared: number; keys: number }>`
      select case when scope = '' then 1 else 0 end as shared, sum(keys) as keys from kv_scopes
      where canvas_id = ${id} group by 1`;
    const keys = (isShared: number) => Number(rows.find((row) => Number(row.shared) === isShared)?.keys ?? 0);
    return { kv: keys(1), kvUser: keys(0) };
  },
};
