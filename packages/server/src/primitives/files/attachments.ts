import { setImmediate } from "node:timers/promises";
import { asKeys, type Db } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { announceChange } from "../change-feed.ts";
import { removal } from "./store.ts";

/** The number of files that one batch removes: in SQLite a write blocks the event loop. */
const BATCH = 100;

/**
 * Removes the attachments of removed records, which are hidden already. Returns the number of those that could not be removed; the
 * sweep removes them later.
 */
export async function removeAttachments(
  canvas: string,
  collection: string,
  recordIds: string[],
  env: Env,
): Promise<number> {
  const { db, log } = env;
  const keys = asKeys(recordIds);
  let removed = 0;
  try {
    for (;;) {
      const found = await db.all<{ id: string }>`
        select id from files where record_id in (select key from json_each(${keys})) limit ${BATCH}`;
      if (found.length === 0) return 0;
      removed += found.length;
      await db.batch(
        removal(
          canvas,
          found.map(({ id }) => id),
        ),
      );
    }
  } catch (error) {
    log.warn({ err: error, canvas, collection }, "attachments of removed records are left to the sweep");
    const left = await db.get<{ files: number }>`
      select count(*) as files from files where record_id in (select key from json_each(${keys}))`;
    return Number(left?.files);
  } finally {
    if (removed > 0)
      announceChange(
        canvas,
        { resource: "files", scope: `record:${collection}`, op: "clear", of: null },
        env,
      );
  }
}

/** Removes the attachments of removed records that a killed process left. */
export async function sweepAttachments(db: Db): Promise<void> {
  for (let after = ""; ; await setImmediate()) {
    const slice = await db.all<{ id: string; canvas_id: string; has_record: number | boolean }>`
      select id, canvas_id, exists (select 1 from records where records.id = record_id) as has_record
      from files where record_id is not null and id > ${after} order by id limit ${BATCH}`;
    const left = slice.filter(({ has_record }) => !has_record);
    for (const [canvas, files] of Map.groupBy(left, ({ canvas_id }) => canvas_id)) {
      await db.batch(
        removal(
          canvas,
          files.map(({ id }) => id),
        ),
      );
    }
    const last = slice.at(-1);
    if (last === undefined || slice.length < BATCH) return;
    after = last.id;
  }
}
