import { LIMITS } from "@easel/protocol/limits";
import type { Json, Permission } from "@easel/protocol/types";
import type { CanvasData } from "../../canvases/canvas-data.ts";
import { countLess, countOne } from "../../canvases/store.ts";
import { type Db, sql, step, UpdateOne } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { paged } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import { type RuntimeCaller, requirePermission } from "../primitive.ts";
import { SLICE_LENGTH } from "../streamed-list.ts";

/** Declares the storage of submissions: their table, quotas and used bytes. */
export const submissionsData: CanvasData = {
  tables: {
    submissions: {
      key: ["canvas_id", "collection", "user_id"],
    },
  },
  people: {
    submissions: {
      ids: ["user_id"],
      erased: "kept",
      exported: {
        part: "submissions",
        columns: ["canvas_id", "collection", "value", "updated_at"],
        order: ["canvas_id", "collection"],
      },
    },
  },
  quotas: {
    "submissions.canvas": {
      limit: LIMITS.submissionsPerCanvas.value,
      used: (canvas) =>
        sql`select rows as used from counts where canvas_id = ${canvas} and kind = 'submissions'`,
    },
    "submissions.author": {
      limit: LIMITS.submissionsPerAuthor.value,
      used: (canvas) => sql`
        select count(*) as used from submissions where canvas_id = ${canvas}
        group by user_id order by used desc limit 1`,
    },
  },
  usage: (canvas) =>
    sql`select sum(octet_length(value)) as bytes from submissions where canvas_id = ${canvas}`,
};

/**
 * A person's entry in a submission collection; each person has at most one. `value` is JSON text, and `updatedAt` is in epoch milliseconds.
 */
export interface Submission {
  userId: string;
  value: string;
  updatedAt: number;
}

/** Returns a submission as JSON text, as the API returns it. */
export const submissionText = ({ userId, value, updatedAt }: Submission): string =>
  `{"userId":${JSON.stringify(userId)},"value":${value},"updatedAt":${updatedAt}}`;

const KIND = "submissions";

const PUT = new UpdateOne({
  table: "submissions",
  set: "value = ?, updated_at = ?",
  key: "canvas_id = ? and collection = ? and user_id = ?",
});

/** Reads and writes the submissions of one collection of a canvas (specification 4.9). */
export class SubmissionStore {
  readonly #db: Db;
  readonly #canvas: string;
  readonly #collection: string;

  constructor(db: Db, canvas: string, collection: string) {
    this.#db = db;
    this.#canvas = canvas;
    this.#collection = collection;
  }

  /** Returns the submission of a person, or undefined if there is none. */
  get(user: string): Promise<Submission | undefined> {
    return this.#db.get<Submission>`
      select user_id as "userId", value, updated_at as "updatedAt" from submissions
      where canvas_id = ${this.#canvas} and collection = ${this.#collection} and user_id = ${user}`;
  }

  /** Creates or replaces the submission of a person. Returns false if a new one would exceed the quota of the canvas or of the person. */
  async put(user: string, value: string, now: number): Promise<boolean> {
    for (;;) {
      const changed = await this.#db.run(PUT, value, now, this.#canvas, this.#collection, user);
      if (changed === 1) return true;
      const outcome = await this.create(user, value, now);
      if (outcome !== "taken") return outcome === "done";
    }
  }

  /** Removes the submission of a person, if there is one. */
  async delete(user: string): Promise<void> {
    await this.#db.withReserve.batch([
      countLess(this.#canvas, KIND, 1),
      sql`delete from submissions
        where canvas_id = ${this.#canvas} and collection = ${this.#collection} and user_id = ${user}`,
    ]);
  }

  /** Removes every submission of the collection. */
  async clear(): Promise<void> {
    await this.#db.withReserve.batch([
      // Locks the counter until the commit, so that the next statement counts every row that the last statement deletes.
      countLess(this.#canvas, KIND, 0),
      sql`update counts set rows = rows - (select count(*) from submissions
          where submissions.canvas_id = ${this.#canvas} and collection = ${this.#collection})
        where canvas_id = ${this.#canvas} and kind = ${KIND}`,
      sql`delete from submissions where canvas_id = ${this.#canvas} and collection = ${this.#collection}`,
    ]);
  }

  /**
   * Reads at most `limit` submissions, sorted by the ids of their authors. `cursor` is the last author id of the previous page. Returns as
   * `nextCursor` the last author id of this page, or null if no submissions follow.
   */
  async list({ cursor, limit }: { cursor: string; limit: number }) {
    const { rows, more } = await this.#db.head<Submission>(
      SLICE_LENGTH,
      ...sql`
      select user_id as "userId", value, updated_at as "updatedAt" from submissions
      where canvas_id = ${this.#canvas} and collection = ${this.#collection} and user_id > ${cursor}
      order by user_id limit ${limit + 1}`,
    );
    return paged(rows, limit, ({ userId }) => userId, more);
  }

  /** Creates a submission unless it exists. Returns "taken" if it exists, and "full" if a quota is used up. */
  async create(user: string, value: string, now: number): Promise<"done" | "taken" | "full"> {
    return this.#db.batch([
      step("full", countOne(this.#canvas, KIND)),
      step(
        "full",
        sql`update counts set rows = rows where canvas_id = ${this.#canvas} and kind = ${KIND}
        and (exists (select 1 from submissions
            where canvas_id = ${this.#canvas} and collection = ${this.#collection} and user_id = ${user})
          or (rows <= coalesce((select value from quotas where name = 'submissions.canvas'),
              ${LIMITS.submissionsPerCanvas.value})
            and (select count(*) from submissions where canvas_id = ${this.#canvas} and user_id = ${user})
              < coalesce((select value from quotas where name = 'submissions.author'),
                ${LIMITS.submissionsPerAuthor.value})))`,
      ),
      step(
        "taken",
        sql`insert into submissions (canvas_id, collection, user_id, value, updated_at)
        values (${this.#canvas}, ${this.#collection}, ${user}, ${value}, ${now})
        on conflict (canvas_id, collection, user_id) do nothing`,
      ),
    ]);
  }
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/;

/** Throws 413 `VALUE_TOO_LARGE`. */
export const tooLarge = (): never => refuse("VALUE_TOO_LARGE");

/** Returns the JSON text of a value, as it is stored. Throws 413 `VALUE_TOO_LARGE` if it is longer than 64 KiB. */
export function valueText(json: Json): string {
  const value = JSON.stringify(json);
  // The stored text can be longer than the text that was sent: `1e20` is stored as 21 digits.
  return Buffer.byteLength(value) > LIMITS.submissionBytes.value ? tooLarge() : value;
}

/**
 * Returns the store for the submissions of a collection. Throws 403 `PERMISSION_DENIED` if the caller lacks the permission, and 400
 * `INVALID_BODY` if the name of the collection is invalid.
 */
export function openSubmissions(
  permission: Permission,
  caller: RuntimeCaller,
  collection: string,
  { db }: Env,
): SubmissionStore {
  requirePermission(caller, permission);
  if (!NAME.test(collection)) {
    refuse("INVALID_BODY", {
      message: "A collection's name has 1 to 80 letters, digits, dots, underscores or hyphens.",
    });
  }
  return new SubmissionStore(db, caller.canvas.id, collection);
}
