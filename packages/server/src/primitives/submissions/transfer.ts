import type { Db } from "../../drivers/db/db.ts";
import { refuse } from "../../http/refusal.ts";
import { importLines } from "../transfer/import-lines.ts";
import { linesPath, slicesOf, type Transfer } from "../transfer/transfer.ts";
import { openSubmissions, valueText } from "./open-submissions.ts";
import { submissionText } from "./store.ts";

const FOLDER = "submissions";
const SLICE = 100;

/** Yields the names of the collections that have submissions. Reads one row of the index for each name. */
async function* namesOf(canvas: string, db: Db): AsyncGenerator<string> {
  for (let after = ""; ; ) {
    const next = await db.get<{ collection: string }>`
      select collection from submissions where canvas_id = ${canvas} and collection > ${after}
      order by collection limit 1`;
    if (next === undefined) return;
    yield next.collection;
    after = next.collection;
  }
}

/**
 * Exports the submissions of all people, which the owner and editors may read. Imports only those of the caller, because nobody can submit
 * for someone else.
 */
export const submissionsTransfer: Transfer = {
  part: "submissions",
  capability: "kv",
  paths: /^submissions\/[^/]+\.jsonl$/,
  async *export({ access, env }) {
    const { canvas } = await access("kv");
    for await (const name of namesOf(canvas.id, env.db)) {
      const slices = slicesOf(
        () => access("kv"),
        (caller, cursor) =>
          openSubmissions("canManageSubmissions", caller, name, env).list({
            cursor: cursor ?? "",
            limit: SLICE,
          }),
        submissionText,
      );
      yield { path: linesPath(FOLDER, name), slices };
    }
  },
  async import(to) {
    const { archive, env, existing } = to;
    for (const { name, path } of archive.collections(FOLDER)) {
      await importLines(path, submissionsTransfer, to, async (caller) => {
        const store = openSubmissions("canSubmit", caller, name, env);
        const author = caller.user.id;
        return async ({ userId, value }) => {
          if (typeof userId !== "string" || value === undefined) refuse("INVALID_BODY");
          if (userId !== author) return "OTHER_AUTHOR";
          const text = valueText(value);
          const now = env.clock();
          if (existing === "replace")
            return (await store.put(author, text, now)) ? null : refuse("KEY_LIMIT");
          const outcome = await store.create(author, text, now);
          if (outcome === "full") refuse("KEY_LIMIT");
          return outcome === "done" ? null : "EXISTS";
        };
      });
    }
  },
  async summary({ id }, { db }) {
    const rows = await db.all<{ name: string; entries: number }>`
      select collection as name, count(*) as entries from submissions where canvas_id = ${id}
      group by collection order by collection`;
    return { submissions: rows.map(({ name, entries }) => ({ name, entries: Number(entries) })) };
  },
};
