import type { Db } from "../../drivers/db/db.ts";
import { Refusal, refuse } from "../../http/refusal.ts";
import { inputOf } from "../../operations/operation.ts";
import { importLines } from "../transfer/import-lines.ts";
import { linesPath, slicesOf, type Transfer } from "../transfer/transfer.ts";
import { setSubmission } from "./operations.ts";
import { openSubmissions, submissionText } from "./store.ts";

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
    const keep = to.existing === "keep";
    for (const { name, path } of to.archive.collections(FOLDER)) {
      await importLines(path, submissionsTransfer, to, async (caller, { userId, value }) => {
        if (typeof userId !== "string" || value === undefined) refuse("INVALID_BODY");
        if (userId !== caller.user.id) throw new Refusal(403, { code: "OTHER_AUTHOR" });
        const input = inputOf({ params: { collection: name }, body: { value }, local: { keep } });
        await setSubmission.perform(caller, input, to.env);
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
