import { refuse } from "../../http/refusal.ts";
import { inputOf } from "../../operations/operation.ts";
import { importLines } from "../transfer/import-lines.ts";
import { slicesOf, type Transfer } from "../transfer/transfer.ts";
import { perViewer, readableStore, shared } from "./kv-scope.ts";
import { ownKeys, sharedKeys } from "./operations.ts";
import { entryText } from "./store.ts";

const SLICE = 100;

/** The scopes, their operations and the paths of their files. Of the user scopes, an export contains only that of the caller. */
const SCOPES = [
  { path: "kv/shared.jsonl", scope: shared, keys: sharedKeys },
  { path: "kv/user.jsonl", scope: perViewer, keys: ownKeys },
];

/** Exports and imports the keys of a canvas. */
export const kvTransfer: Transfer = {
  part: "kv",
  capability: "kv",
  paths: /^kv\/(shared|user)\.jsonl$/,
  async *export({ access, env }) {
    for (const { path, scope } of SCOPES) {
      const slices = slicesOf(
        () => access("kv"),
        (caller, cursor) => readableStore(caller, scope, env).list({ prefix: "", cursor, limit: SLICE }),
        entryText,
      );
      yield { path, slices };
    }
  },
  async import(to) {
    const keep = to.existing === "keep";
    for (const { path, keys } of SCOPES) {
      await importLines(path, kvTransfer, to, async (caller, { key, value = null }) => {
        if (typeof key !== "string" || !key.isWellFormed()) refuse("INVALID_BODY");
        const input = inputOf({ params: { key }, body: { value }, local: { keep } });
        await keys.set.perform(caller, input, to.env);
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
