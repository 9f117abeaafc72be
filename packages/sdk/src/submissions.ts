import type { Json } from "@easel/protocol/types";
import { readOptional } from "./optional.ts";
import { type Api, search } from "./request.ts";
import { segment } from "./segment.ts";
import { requireJson, type Serializable } from "./value.ts";

/** A submission. `updatedAt` is in epoch milliseconds (specification 2). */
export interface Submission<Value = Json> {
  userId: string;
  value: Value;
  updatedAt: number;
}

/** A page of submissions. `nextCursor` is null on the last page. */
export interface SubmissionPage<Value = Json> {
  entries: Submission<Value>[];
  nextCursor: string | null;
}

/** Submissions: one per person and collection (specification 4.9). */
export interface Submissions {
  /**
   * Creates or replaces the viewer's own submission: any JSON, including null.
   * @throws QuotaExceededError with `VALUE_TOO_LARGE` (64 KiB) or `KEY_LIMIT`; EaselError with `INVALID_BODY` for an invalid
   * name of a collection.
   * @example await easel.submissions.set("lunch", { choice: "soup" });
   */
  set<T>(collection: string, value: T & Serializable<T>): Promise<Submission<T>>;
  /**
   * Resolves with the viewer's own submission, or with undefined if there is none.
   * @example const mine = await easel.submissions.get("lunch");
   */
  get<T = Json>(collection: string): Promise<Submission<T> | undefined>;
  /**
   * Deletes the viewer's own submission; succeeds if there is none.
   * @example await easel.submissions.delete("lunch");
   */
  delete(collection: string): Promise<void>;
  /**
   * Resolves with one page of everyone's submissions. Only the owner and editors may do so.
   * @throws EaselError with `PERMISSION_DENIED` for viewers.
   * @example const { entries, nextCursor } = await easel.submissions.list("lunch");
   */
  list<T = Json>(
    collection: string,
    options?: { cursor?: string | null; limit?: number },
  ): Promise<SubmissionPage<T>>;
  /**
   * Deletes the submission of a person. Only the owner and editors may do so.
   * @throws EaselError with `PERMISSION_DENIED` for viewers.
   * @example await easel.submissions.remove("lunch", userId);
   */
  remove(collection: string, userId: string): Promise<void>;
  /**
   * Deletes all submissions of a collection. Only the owner and editors may do so.
   * @throws EaselError with `PERMISSION_DENIED` for viewers.
   * @example await easel.submissions.clear("lunch");
   */
  clear(collection: string): Promise<void>;
}

/** Creates `easel.submissions`. */
export function createSubmissions(api: Api): Submissions {
  const at = (collection: string) => `/submissions/${segment(collection, "collection")}`;

  return {
    async set(collection, value) {
      return api.json("PUT", `${at(collection)}/mine`, requireJson(value));
    },
    async get<T>(collection: string) {
      return readOptional<Submission<T>>(api, `${at(collection)}/mine`);
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
