import { setImmediate } from "node:timers/promises";
import { asKeys, sqlText } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { announceChange } from "../change-feed.ts";
import { removal } from "./store.ts";

/** The maximum number of files that one batch removes. It is small because a write in SQLite blocks the event loop. */
const BATCH = 100;

const OF_RECORDS = "files where canvas_id = ? and record_id in (select key from json_each(?))";
const FIND = sqlText(`select id from ${OF_RECORDS} limit ?`);
const COUNT = sqlText(`select count(*) as files from ${OF_RECORDS}`);

/** Removes the attachments (files) of records that have been removed from one collection. These files are already hidden from reads. */
export class AttachmentRemoval {
  readonly #canvas: string;
  readonly #collection: string;
  readonly #env: Env;
  #found = 0;
  #failed = 0;

  constructor(canvas: string, collection: string, env: Env) {
    this.#canvas = canvas;
    this.#collection = collection;
    this.#env = env;
  }

  /** The number of attachments that could not be removed. The hourly sweep removes them later. */
  get failed(): number {
    return this.#failed;
  }

  /**
   * Removes the attachments of the removed records with these ids, in batches. If this fails, logs the error and adds the remaining files
   * to `failed`.
   */
  async remove(recordIds: string[]): Promise<void> {
    const { db, log, clock } = this.#env;
    const keys = asKeys(recordIds);
    try {
      for (;;) {
        const found = await db.all<{ id: string }>(FIND, this.#canvas, keys, BATCH);
        if (found.length === 0) return;
        this.#found += found.length;
        const ids = found.map(({ id }) => id);
        await db.withReserve.batch(removal(this.#canvas, ids, clock()));
      }
    } catch (error) {
      const subject = { canvas: this.#canvas, collection: this.#collection };
      log.warn({ err: error, ...subject }, "attachments of removed records are left to the sweep");
      const left = await db.get<{ files: number }>(COUNT, this.#canvas, keys);
      this.#failed += Number(left?.files);
    }
  }

  /** Publishes one change for all removed attachments to the connections that watch the canvas's files. */
  announce(): void {
    const scope = `record:${this.#collection}` as const;
    if (this.#found > 0)
      announceChange(this.#canvas, { resource: "files", scope, op: "clear", of: null }, this.#env);
  }
}

/** Removes attachments of removed records that are still stored because the process was killed or an earlier removal failed. */
export async function sweepAttachments({ db, clock }: Pick<Env, "db" | "clock">): Promise<void> {
  for (let [canvas, record, id] = ["", "", ""]; ; await setImmediate()) {
    const slice = await db.all<{
      id: string;
      record_id: string;
      canvas_id: string;
      hidden: number | boolean;
    }>`
      select id, record_id, canvas_id,
        (select records.id from records where records.id = files.record_id) is null as hidden
      from files where record_id is not null and (canvas_id, record_id, id) > (${canvas}, ${record}, ${id})
      order by canvas_id, record_id, id limit ${BATCH}`;
    const left = slice.filter(({ hidden }) => hidden);
    for (const [of, files] of Map.groupBy(left, ({ canvas_id }) => canvas_id)) {
      const ids = files.map((file) => file.id);
      await db.withReserve.batch(removal(of, ids, clock()));
    }
    const last = slice.at(-1);
    if (last === undefined || slice.length < BATCH) return;
    [canvas, record, id] = [last.canvas_id, last.record_id, last.id];
  }
}

/** Removes all files of a canvas that is removed for good, in small batches. */
export async function removeAllFiles(
  canvas: string,
  { db, clock }: Pick<Env, "db" | "clock">,
): Promise<void> {
  for (;;) {
    const found = await db.all<{
      id: string;
    }>`select id from files where canvas_id = ${canvas} limit ${BATCH}`;
    if (found.length === 0) return;
    const ids = found.map(({ id }) => id);
    await db.withReserve.batch(removal(canvas, ids, clock()));
  }
}
