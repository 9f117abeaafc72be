import type { Json } from "@easel/protocol/types";
import { found } from "./found.ts";
import { type Api, search } from "./request.ts";
import { segment } from "./segment.ts";
import { storable } from "./value.ts";

/** One person's answer; `updatedAt` in epoch milliseconds (specification 2). */
export interface Submission<Value = Json> {
  userId: string;
  value: Value;
  updatedAt: number;
}

/** A page of answers; `nextCursor` is null on the last one. */
export interface SubmissionPage<Value = Json> {
  entries: Submission<Value>[];
  nextCursor: string | null;
}

/** One answer per person and collection (specification 4.9). */
export interface Submissions {
  /**
   * Gives or changes the viewer's own answer: any JSON, null too.
   * @example await easel.submissions.set("lunch", { choice: "soup" });
   */
  set<T extends Json>(collection: string, value: T): Promise<Submission<T>>;
  /**
   * The viewer's own answer, or undefined where there is none.
   * @example const mine = await easel.submissions.get("lunch");
   */
  get<T extends Json = Json>(collection: string): Promise<Submission<T> | undefined>;
  /**
   * Withdraws the viewer's own answer; fine where there is none.
   * @example await easel.submissions.delete("lunch");
   */
  delete(collection: string): Promise<void>;
  /**
   * One page of everyone's answers, for owner and editors.
   * @example const { entries, nextCursor } = await easel.submissions.list("lunch");
   */
  list<T extends Json = Json>(
    collection: string,
    options?: { cursor?: string | null; limit?: number },
  ): Promise<SubmissionPage<T>>;
  /**
   * Removes someone's answer, for owner and editors.
   * @example await easel.submissions.remove("lunch", userId);
   */
  remove(collection: string, userId: string): Promise<void>;
  /**
   * Removes all answers, for owner and editors.
   * @example await easel.submissions.clear("lunch");
   */
  clear(collection: string): Promise<void>;
}

/** `easel.submissions`. */
export function createSubmissions(api: Api): Submissions {
  const at = (collection: string) => `/submissions/${segment(collection, "collection")}`;

  return {
    async set(collection, value) {
      return api.json("PUT", `${at(collection)}/mine`, storable(value));
    },
    async get<T extends Json>(collection: string) {
      return found(api.json<Submission<T>>("GET", `${at(collection)}/mine`));
    },
    async delete(collection) {
      await api.json("DELETE", `${at(collection)}/mine`);
    },
    async list(collection, { cursor, limit } = {}) {
      return api.json("GET", at(collection) + search({ cursor, limit }));
    },
    async remove(collection, userId) {
      await api.json("DELETE", `${at(collection)}/${segment(userId, "user id", ["mine"])}`);
    },
    async clear(collection) {
      await api.json("DELETE", at(collection));
    },
  };
}
