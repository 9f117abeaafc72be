import type { Right } from "@easel/protocol/types";
import { whyOff } from "../../canvases/capabilities.ts";
import { policyOf } from "../../canvases/policy.ts";
import type { Env } from "../../env.ts";
import { firstValue, type Paged, paged, type Query, strictLimit } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import { RECORD_ID } from "../collections/record-query.ts";
import { RecordStore } from "../collections/store.ts";
import type { RuntimeCaller } from "../primitive.ts";
import { collectionOf, needsKv, parseScope, type Scope, scopeRights, scopesOf } from "./scope.ts";
import { FileStore, type StoredFile } from "./store.ts";

/*
 * GET /files?group=…&collection=…&recordId=…&cursor=…&limit=…
 *
 * Lists the files that the caller may read, sorted by scope and then by age, the oldest first. Without `limit`, lists all of them.
 */

/** A position in a list of files: the scope and the id of the last file that was read. `scope` is null at the start of the list. */
export interface Position {
  scope: Scope | null;
  id: string;
}

const START: Position = { scope: null, id: "" };

const reject = (message: string): never => refuse("INVALID_BODY", { message });

const cursorOf = ({ scope, id }: StoredFile) => `${scope}/${id}`;

/** Parses a cursor. Returns the start of the list if there is no cursor. Throws 400 `INVALID_BODY` for an invalid cursor. */
export function parseCursor(cursor: string | undefined): Position {
  if (cursor === undefined) return START;
  const [text = "", id = "", ...rest] = cursor.split("/");
  const scope = parseScope(text);
  return scope !== null && RECORD_ID.test(id) && rest.length === 0
    ? { scope, id }
    : reject("`cursor` is none of this list.");
}

/**
 * Says which files a list contains: all files if `scope` is null, otherwise the files of the scope, or only those of the record `recordId`.
 */
export interface Filter {
  scope: Scope | null;
  recordId: string | null;
}

/** Parses the query parameters that filter a list. Throws 400 `INVALID_BODY` for parameters that cannot be combined. */
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

/** Parses `limit`. Returns infinity if it is absent. */
export const parseLimit = (query: Query): number =>
  query.limit === undefined ? Number.POSITIVE_INFINITY : strictLimit(query);

/** Reads lists of the files that a caller may read on a canvas. */
export class FileList {
  readonly #caller: RuntimeCaller;
  readonly #env: Env;
  readonly #files: FileStore;

  constructor(caller: RuntimeCaller, env: Env) {
    this.#caller = caller;
    this.#env = env;
    this.#files = new FileStore(env, caller.canvas.id);
  }

  /**
   * Reads the next page of a list: at most `limit` files that match the filter and follow the position `after`. Throws 404 or 403 if the
   * caller may not read these files.
   */
  async page({ scope, recordId }: Filter, limit: number, after: Position): Promise<Paged<StoredFile>> {
    if (scope === null) return paged(await this.#ofAllScopes(limit + 1, after), limit, cursorOf);
    if (after.scope !== null && after.scope !== scope) reject("`cursor` is none of this list.");
    if (needsKv(scope)) this.#caller.requireCapability("kv");
    const right = (await this.#rightOf(scope)) ?? refuse("NOT_FOUND");
    if (!right.own) refuse("PERMISSION_DENIED");
    const found =
      recordId === null
        ? await this.#ofScope(scope, right, limit + 1, after.id)
        : await this.#ofRecord(scope, recordId, right, limit + 1, after.id);
    return paged(found, limit, cursorOf);
  }

  /**
   * Reads the files that the caller may read in the scopes `shared` and `submission` and in those that the current policy document
   * configures, one scope after the other. Omits files in scopes of earlier policy documents, because there can be any number of such
   * scopes.
   */
  async #ofAllScopes(limit: number, { scope: first, id }: Position): Promise<StoredFile[]> {
    const policy = await policyOf(this.#caller.canvas, this.#env);
    const inUse = await this.#files.scopesInUse(
      scopesOf(policy).filter((scope) => (first === null || scope >= first) && this.#isEnabled(scope)),
    );
    const found: StoredFile[] = [];
    for (const scope of [...inUse].sort()) {
      const right = scopeRights(scope, policy, this.#caller.role)?.read;
      if (!right?.own) continue;
      found.push(...(await this.#ofScope(scope, right, limit - found.length, scope === first ? id : "")));
      if (found.length >= limit) break;
    }
    return found;
  }

  #ofScope(scope: Scope, right: Right, limit: number, after: string): Promise<StoredFile[]> {
    return this.#files.list(scope, right.any ? null : this.#caller.user.id, after, limit);
  }

  async #ofRecord(scope: Scope, recordId: string, right: Right, limit: number, after: string) {
    const { user, canvas } = this.#caller;
    const records = new RecordStore(this.#env.db, canvas.id, collectionOf(scope) ?? "", user.id);
    if (!RECORD_ID.test(recordId) || (await records.get(recordId, right)) === undefined) refuse("NOT_FOUND");
    return this.#files.listOfRecord(recordId, after, limit);
  }

  async #rightOf(scope: Scope) {
    const { canvas, role } = this.#caller;
    return scopeRights(scope, await policyOf(canvas, this.#env), role)?.read;
  }

  /** Whether the files of a scope are accessible. Attachments are accessible only while KV is on. */
  #isEnabled(scope: Scope): boolean {
    return !needsKv(scope) || whyOff("kv", this.#caller.canvas, this.#env) === null;
  }
}
