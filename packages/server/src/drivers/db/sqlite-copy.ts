import { fdatasyncSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { backup, DatabaseSync } from "node:sqlite";

/** The number of pages that are copied at once: about 1 MB. */
const PAGES = 300;

/** For how long a read waits while another process opens or closes the database, in milliseconds. */
const WAIT_MS = 5_000;

/**
 * Copies one state of an SQLite database into a new file, durably, while other processes write. The copy needs no other file beside it, and only
 * the user of this process can read it. If this fails, the new file is removed.
 *
 * The state is held by a transaction that reads, so that SQLite does not begin the copy anew with each write (decision 126). Each part of the
 * copy is synced at once: a commit of the service on the same disk would wait for all that is not.
 */
export async function copySqlite(file: string, to: string): Promise<void> {
  const handle = await open(to, "wx", 0o600);
  try {
    // Opened for reading alone, so that closing it leaves the log to the service.
    const source = new DatabaseSync(file, { readOnly: true, timeout: WAIT_MS });
    try {
      source.exec("begin");
      source.prepare("select count(*) from sqlite_schema").get();
      await backup(source, to, { rate: PAGES, progress: () => fdatasyncSync(handle.fd) });
    } finally {
      source.close();
    }
    withoutLog(to);
    await handle.sync();
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** Makes a database readable where nothing can be written beside it. */
function withoutLog(file: string): void {
  const copy = new DatabaseSync(file);
  try {
    copy.exec("pragma journal_mode=delete");
  } finally {
    copy.close();
  }
}
