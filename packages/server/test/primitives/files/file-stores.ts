import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { Db } from "../../../src/drivers/db/db.ts";
import { FileStore, type NewFile, type StoredFile } from "../../../src/primitives/files/store.ts";
import { onDatabases } from "../../drivers/databases.ts";

/** Returns the row of an uploaded file of `size` bytes. `more` replaces fields. */
export const fileOf = (size: number, more: Partial<NewFile> = {}): NewFile => ({
  scope: "shared",
  record_id: null,
  owner_id: "u-1",
  uploaded_by: "u-1",
  name: "tea.txt",
  mime: "text/plain",
  size,
  blob_key: "0".repeat(64),
  claim: null,
  created_at: 1,
  ...more,
});

/** The file stores of a new canvas, and functions for tests. */
export interface OpenedFiles {
  canvas: string;
  files: FileStore;
  /** A store of the same canvas on another connection. */
  others: FileStore;
  /** Creates a file. The test fails if the file is refused. */
  add(size: number, more?: Partial<NewFile>): Promise<StoredFile>;
  /** Creates a record of the collection `board`, and returns its id. */
  record(): Promise<string>;
  /** Requires that the counter of bytes is the sum of the sizes of the files. Returns the counter and the number of files. */
  sound(): Promise<{ bytes: number; files: number }>;
}

/** The quota of bytes of an owner, which the quotas of canvases do not reach. */
export const OWNER_QUOTA = 50 * 1024 ** 3;

/** The number of canvases and records so far. */
let made = 0;

/** Creates file stores for a new canvas, on two connections. */
export function openFiles(db: Db, other: Db = db): OpenedFiles {
  const canvas = `canvas-${++made}`;
  const config = { quotaFilesBytes: OWNER_QUOTA };
  const files = new FileStore({ db, config }, canvas);
  return {
    canvas,
    files,
    others: new FileStore({ db: other, config }, canvas),
    async add(size, more) {
      // The bytes of removed files are gone at once, as there are none.
      const makeRoom = async () =>
        (await db.run`update file_bytes set removed = 0 where canvas_id = ${canvas} and removed > 0`) === 1;
      const file = await files.create(fileOf(size, more), undefined, makeRoom);
      return typeof file === "object" ? file : assert.fail(file);
    },
    async record() {
      const id = `record-${++made}`;
      await db.run`insert into records (id, canvas_id, collection, author_id, value, created_at, updated_at)
        values (${id}, ${canvas}, ${"board"}, ${"u-1"}, ${"1"}, ${0}, ${0})`;
      return id;
    },
    async sound() {
      // Waits for the next turn of the event loop: the SQLite reads of one turn may share a snapshot that lacks what another connection has
      // written.
      await setImmediate();
      const row = await db.get<{ counted: number; bytes: number; files: number }>`
        select coalesce((select bytes from file_bytes where canvas_id = ${canvas}), 0) as counted,
          cast(coalesce(sum(size), 0) as bigint) as bytes, count(*) as files from files where canvas_id = ${canvas}`;
      const { counted, bytes, files: held } = row ?? assert.fail();
      assert.equal(Number(counted), Number(bytes), "the counter is the sum of the sizes");
      return { bytes: Number(bytes), files: Number(held) };
    },
  };
}

/** Sets the quota of bytes of each canvas; null restores the default. */
export async function setQuota(db: Db, value: number | null): Promise<void> {
  if (value === null) await db.run`delete from quotas`;
  else
    await db.run`insert into quotas (name, value) values (${"files.bytes.canvas"}, ${value})
      on conflict (name) do update set value = excluded.value`;
}

/** Runs a suite on each engine. `open` creates file stores for a new canvas on two connections. */
export const onFileStores = (
  title: string,
  suite: (open: () => OpenedFiles, db: Db, other: Db) => void,
): Promise<void> => onDatabases(title, (db, other) => suite(() => openFiles(db, other), db, other));
