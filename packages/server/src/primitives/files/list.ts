import { whyOff } from "../../canvases/capabilities.ts";
import { policyOf } from "../../canvases/policy.ts";
import type { Env } from "../../env.ts";
import { type Paged, paged } from "../../http/paging.ts";
import { firstValue, type Query, strictLimit } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import { RECORD_ID } from "../collections/record-query.ts";
import { RecordStore } from "../collections/store.ts";
import type { Call } from "../primitive.ts";
import { collectionOf, parseScope, type Scope, scopeRights } from "./scope.ts";
import { FileStore, type StoredFile } from "./store.ts";

/*
 * GET /files?group=…&collection=…&recordId=…&cursor=…&limit=…
 *
 * The files that the caller may read, by scope, the oldest of a scope first. Without `limit` all of them.
 */

/** The position of a file in a list. */
interface Position {
  scope: Scope | null;
  id: string;
}

const START: Position = { scope: null, id: "" };

const reject = (message: string): never => refuse("INVALID_BODY", { message });

const cursorOf = ({ scope, id }: StoredFile) => `${scope}/${id}`;

/** Parses a cursor; throws 400 for one that is none. */
export function parseCursor(cursor: string | undefined): Position {
  if (cursor === undefined) return START;
  const [text = "", id = "", ...rest] = cursor.split("/");
  const scope = parseScope(text);
  return scope !== null && RECORD_ID.test(id) && rest.length === 0
    ? { scope, id }
    : reject("`cursor` is none of this list.");
}

/** The files that a list contains: those of every scope, of one scope, or of one record. */
export interface Filter {
  scope: Scope | null;
  recordId: string | null;
}

/** Parses the filters of a list; throws 400 for filters that exclude each other. */
export function parseFilter(query: Query): Filter {
  const [group, collection, recordId] = ["group", "collection", "recordId"].map((name) =>
    firstValue(query, name),
  );
  if (group !== undefined && (collection ?? recordId) !== undefined)
    reject("`group` and `collection` exclude each other.");
  if (recordId !== undefined && collection === undefined) reject("`recordId` needs `collection`.");
  if (group !== undefined) return { scope: `group:${group}`, recordId: null };
  if (collection !== undefined) return { scope: `record:${collection}`, recordId: recordId ?? null };
  return { scope: null, recordId: null };
}

/** Parses `limit`; a list without it has no end. */
export const parseLimit = (query: Query): number =>
  query.limit === undefined ? Number.POSITIVE_INFINITY : strictLimit(query);

/** Reads the files of one list for a caller. */
export class FileList {
  readonly #call: Call;
  readonly #env: Env;
  readonly #files: FileStore;

  constructor(call: Call, env: Env) {
    this.#call = call;
    this.#env = env;
    this.#files = new FileStore(env.db, call.canvas.id);
  }

  /** Reads at most `limit` files after a position. Throws 404 or 403 for a filter whose files the caller cannot read. */
  async page({ scope, recordId }: Filter, limit: number, after: Position): Promise<Paged<StoredFile>> {
    const read = (from: Position) =>
      recordId === null ? this.#ofScopes(scope, limit + 1, from) : this.#ofRecord(recordId, limit + 1, from);
    if (scope === null) return paged(await read(after), limit, cursorOf);
    if (after.scope !== null && after.scope !== scope) reject("`cursor` is none of this list.");
    if (collectionOf(scope) !== undefined) await this.#call.requireCapability("kv");
    const right = (await this.#rightOf(scope)) ?? refuse("NOT_FOUND");
    if (!right.own) refuse("PERMISSION_DENIED");
    return paged(await read({ scope, id: after.id }), limit, cursorOf);
  }

  /** Reads from one scope after the other, or from `only` one. */
  async #ofScopes(only: Scope | null, limit: number, { scope: first, id }: Position): Promise<StoredFile[]> {
    const found: StoredFile[] = [];
    let after = id;
    for (
      let scope = first ?? (await this.#files.nextScope(""));
      scope !== null && found.length < limit;
      scope = only === null ? await this.#files.nextScope(scope) : null
    ) {
      const right = this.#isEnabled(scope) ? await this.#rightOf(scope) : undefined;
      if (right?.own) {
        const owner = right.any ? null : this.#call.user.id;
        found.push(...(await this.#files.list(scope, owner, after, limit - found.length)));
      }
      after = "";
    }
    return found;
  }

  async #ofRecord(recordId: string, limit: number, { scope, id }: Position): Promise<StoredFile[]> {
    const { user, canvas } = this.#call;
    const collection = collectionOf(scope as Scope) ?? "";
    const right = (await this.#rightOf(scope as Scope)) ?? refuse("NOT_FOUND");
    const records = new RecordStore(this.#env.db, canvas.id, collection, user.id);
    if (!RECORD_ID.test(recordId) || (await records.get(recordId, right)) === undefined) refuse("NOT_FOUND");
    return this.#files.listOfRecord(scope as Scope, recordId, id, limit);
  }

  async #rightOf(scope: Scope) {
    const { canvas, role } = this.#call;
    return scopeRights(scope, await policyOf(canvas, this.#env), role)?.read;
  }

  /** Whether the files of a scope are accessible: attachments are while KV is on. */
  #isEnabled(scope: Scope): boolean {
    return collectionOf(scope) === undefined || whyOff("kv", this.#call.canvas, this.#env) === null;
  }
}
