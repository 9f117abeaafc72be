import { LIMITS } from "@easel/protocol/limits";
import { type FileQuotaEnv, filesOfOwner, lockOwner, withinFileBytes } from "../../canvases/owner-quotas.ts";
import { newId } from "../../crypto/ids.ts";
import { endClaim, releaseClaim } from "../../drivers/blob-references.ts";
import { asKeys, type Db, optional, type SqlText, type Step, sqlText, step } from "../../drivers/db/db.ts";
import { collectionOf, groupOf, type Scope } from "./scope.ts";

/** An uploaded file. `size` is in bytes, and `created_at` in epoch milliseconds. */
export interface StoredFile {
  id: string;
  scope: Scope;
  record_id: string | null;
  /** The id of the owner: for an attachment, the author of the record; for any other file, the uploader. */
  owner_id: string;
  uploaded_by: string;
  name: string;
  mime: string;
  size: number;
  blob_key: string;
  created_at: number;
}

/** Returns a file as JSON text, as the API returns it. */
export const fileText = ({
  id,
  name,
  size,
  mime,
  created_at,
  scope,
  uploaded_by,
  record_id,
}: StoredFile): string =>
  JSON.stringify({
    ...{ id, name, size, mime, createdAt: created_at, scope, uploadedBy: uploaded_by, recordId: record_id },
    collection: collectionOf(scope),
    group: groupOf(scope),
  });

/** A file to store. The store adds the id. `claim` is the claim that its blob was stored under; null if it is known to stay. */
export type NewFile = Omit<StoredFile, "id"> & { claim: string | null };

/**
 * The maximum size of one file, how much the quotas of the canvas and of its owner still allow, and the whole quota of the owner. All in
 * bytes.
 */
export interface Room {
  file: number;
  canvas: number;
  owner: number;
  ownerQuota: number;
}

/**
 * The number of rows that a list reads at a time after its first read. Further reads are needed if hidden files (see `HIDDEN`) were among
 * the first rows.
 */
const SLICE = 100;

const COLUMNS = "id, scope, record_id, owner_id, uploaded_by, name, mime, size, blob_key, created_at";
/**
 * The SQL condition that is true for attachments of removed records. Lists hide these files until their rows are removed. The condition
 * avoids `exists`, which PostgreSQL might execute by reading every record of the instance.
 */
export const HIDDEN =
  "record_id is not null and (select records.id from records where records.id = files.record_id) is null";

const FIND = sqlText(`select ${COLUMNS} from files where id = ? and canvas_id = ? and not (${HIDDEN})`);

/**
 * Builds the statement that lists the files with certain values in `columns`, such as `scope, owner_id`, sorted by id. It compares ranges,
 * because with `=` PostgreSQL might read all files in the order of their ids and filter them.
 */
function listBy(columns: string): SqlText {
  const values = columns.replaceAll(/\w+/g, "?");
  return sqlText(
    `select ${COLUMNS}, ${HIDDEN} as hidden from files where canvas_id = ?`,
    `and (${columns}, id) > (${values}, ?) and (${columns}) <= (${values})`,
    `order by ${columns}, id limit ?`,
  );
}

const LIST = listBy("scope");
const LIST_OWN = listBy("scope, owner_id");
const LIST_OF_RECORD = listBy("record_id");

/** The SQL expression for the maximum total size of the files of a canvas, in bytes. */
const QUOTA = `coalesce((select value from quotas where name = 'files.bytes.canvas'), ${LIMITS.filesBytesPerCanvas.value})`;
const ADD_BYTES = sqlText(
  `insert into file_bytes (canvas_id, bytes) select ?, cast(? as bigint) where cast(? as bigint) <= ${QUOTA}`,
  "on conflict (canvas_id) do update set bytes = file_bytes.bytes + excluded.bytes",
  `where file_bytes.bytes + file_bytes.removed + excluded.bytes <= ${QUOTA}`,
);

const text = "cast(? as text)";
const integer = "cast(? as bigint)";
const INSERT = sqlText(
  "insert into files (id, canvas_id, scope, record_id, owner_id, uploaded_by, name, mime, size, blob_key, created_at)",
  `select ${[text, text, text, text, text, text, text, text, integer, text, integer].join(", ")}`,
  `where ${text} is null or exists (select 1 from records where id = ?)`,
  "on conflict (id) do nothing",
);

/**
 * The SQL condition that selects files of a canvas by their ids. It does not compare `canvas_id` directly, because SQLite would then read
 * every file of the canvas through an index.
 */
const AMONG = "id in (select key from json_each(?)) and canvas_id || '' = ?";
const SIZES = `coalesce((select sum(size) from files where ${AMONG}), 0)`;
const SUBTRACT = sqlText(
  `update file_bytes set bytes = bytes - ${SIZES}, removed = removed + ${SIZES}`,
  "where canvas_id = ?",
);
const KEEP_AS_REMOVED = sqlText(
  "insert into removed_files (id, canvas_id, blob_key, size, removed_at)",
  // An import gives a file the id again that it had before it was removed.
  `select id || '.' || cast(? as text), canvas_id, blob_key, size, cast(? as bigint) from files where ${AMONG}`,
);
const REMOVE = sqlText(`delete from files where ${AMONG}`);

/** Reads and writes the database rows of the files of one canvas. */
export class FileStore {
  readonly #db: Db;
  readonly #env: FileQuotaEnv;
  readonly #canvas: string;

  constructor(env: FileQuotaEnv, canvas: string) {
    this.#db = env.db;
    this.#env = env;
    this.#canvas = canvas;
  }

  /** Returns the maximum size of a file, and how many bytes the quotas still allow. `create` checks the quotas again. */
  async room(): Promise<Room> {
    const row = await this.#db.get<{ file: number | null; canvas: number | null; used: number | null }>`
      select (select value from quotas where name = 'files.bytes.file') as file,
        (select value from quotas where name = 'files.bytes.canvas') as canvas,
        (select bytes from file_bytes where canvas_id = ${this.#canvas}) as used`;
    const whole = row?.canvas ?? LIMITS.filesBytesPerCanvas.value;
    const { used, limit } = await filesOfOwner(this.#canvas, this.#env);
    return {
      owner: Math.max(0, limit - used),
      ownerQuota: limit,
      file: Number(row?.file ?? LIMITS.fileBytes.value),
      canvas: Math.max(0, Number(whole) - Number(row?.used ?? 0)),
    };
  }

  /**
   * Adds a file. Ends its claim, also if the file is not added. Returns "full" if the quota of the canvas does not allow it, and "owner_full" if that of its owner does
   * not. Returns "gone" if the record that it is attached to no longer exists, or if a file with the id `fileId` exists, and "lost" if the claim
   * no longer stands. `makeRoom` is called if a quota does not allow the file, and returns whether there may be room now.
   */
  async create(
    { claim, ...file }: NewFile,
    fileId: string = newId(),
    makeRoom: () => Promise<boolean> = async () => false,
  ): Promise<StoredFile | "full" | "owner_full" | "gone" | "lost"> {
    const stored: StoredFile = { id: fileId, ...file };
    let outcome = await this.#add(stored, claim);
    const isFull = outcome === "full" || outcome === "owner_full";
    if (isFull && (await makeRoom())) outcome = await this.#add(stored, claim);
    if (outcome === "done") return stored;
    if (claim !== null) await releaseClaim(claim, this.#env);
    return outcome;
  }

  #add(file: StoredFile, claim: string | null): Promise<"done" | "full" | "owner_full" | "gone" | "lost"> {
    const { id, scope, record_id, owner_id, uploaded_by, name, mime, size, blob_key, created_at } = file;
    return this.#db.batch([
      // Locks the owner, so that concurrent uploads to several canvases of the same owner count each other.
      optional(...lockOwner(this.#canvas)),
      step("full", [ADD_BYTES, this.#canvas, size, size]),
      step("owner_full", withinFileBytes(this.#canvas, this.#env)),
      step("gone", [
        INSERT,
        id,
        this.#canvas,
        scope,
        record_id,
        owner_id,
        uploaded_by,
        name,
        mime,
        size,
        blob_key,
        created_at,
        record_id,
        record_id,
      ]),
      ...(claim === null ? [] : [step("lost", endClaim(claim))]),
    ]);
  }

  /** Returns a file. Returns undefined if it does not exist, or if the record that it is attached to was removed. */
  find(id: string): Promise<StoredFile | undefined> {
    return this.#db.get<StoredFile>(FIND, id, this.#canvas);
  }

  /** Reads at most `limit` files of a scope after the id `after`, the oldest first. Reads only files of `owner`, unless it is null. */
  list(scope: Scope, owner: string | null, after: string, limit: number): Promise<StoredFile[]> {
    return owner === null
      ? this.#page(LIST, [scope], after, limit)
      : this.#page(LIST_OWN, [scope, owner], after, limit);
  }

  /** Reads at most `limit` attachments of a record after the file id `after`, the oldest first. */
  listOfRecord(recordId: string, after: string, limit: number): Promise<StoredFile[]> {
    return this.#page(LIST_OF_RECORD, [recordId], after, limit);
  }

  /**
   * Reads at most `limit` files that are not hidden. Reads a limited number of rows at a time, because a read in SQLite blocks the event
   * loop.
   */
  async #page(text: SqlText, by: string[], after: string, limit: number): Promise<StoredFile[]> {
    const shown: StoredFile[] = [];
    for (let [last, size] = [after, limit]; ; size = SLICE) {
      const values = [this.#canvas, ...by, last, ...by, size];
      const slice = await this.#db.all<StoredFile & { hidden: number | boolean }>(text, ...values);
      for (const { hidden, ...file } of slice) if (!hidden) shown.push(file);
      if (slice.length < size || shown.length >= limit) return shown.slice(0, limit);
      last = slice.at(-1)?.id ?? last;
    }
  }

  /** Returns those of the given scopes in which the canvas has files. */
  async scopesInUse(scopes: Scope[]): Promise<Set<Scope>> {
    const found = await this.#db.all<{ scope: Scope }>`
      select key as scope from json_each(${asKeys(scopes)})
      where key = (select scope from files where canvas_id = ${this.#canvas} and scope >= key order by scope limit 1)`;
    return new Set(found.map(({ scope }) => scope));
  }

  /** Renames a file. Returns false if it no longer exists. */
  async rename(id: string, name: string): Promise<boolean> {
    return (
      (await this.#db.run`
        update files set name = ${name} where id = ${id} and canvas_id = ${this.#canvas}`) === 1
    );
  }

  /** Removes a file at the time `now`, in epoch milliseconds. Returns false if it no longer exists. Its bytes go later (`removed-files.ts`). */
  async delete(id: string, now: number): Promise<boolean> {
    const outcome = await this.#db.withReserve.batch(removal(this.#canvas, [id], now));
    return outcome === "done";
  }
}

/**
 * Builds the steps of a batch that removes files at the time `now`, in epoch milliseconds, and counts their sizes as those of removed files. The
 * batch changes nothing if there are no such files.
 */
export function removal(canvas: string, ids: string[], now: number): Step[] {
  const keys = asKeys(ids);
  return [
    // Locks the stored total until the commit, so that the next statements see the same files and concurrent removals subtract each
    // size only once.
    optional`update file_bytes set bytes = bytes where canvas_id = ${canvas}`,
    optional(KEEP_AS_REMOVED, `${now}.${newId()}`, now, keys, canvas),
    optional(SUBTRACT, keys, canvas, keys, canvas, canvas),
    [REMOVE, keys, canvas],
  ];
}
