import assert from "node:assert/strict";
import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { until } from "@easel/conformance/patience";
import { startService, temporaryDirectory } from "../support/service.ts";

const modeOf = async (entry: string) => (await stat(entry)).mode & 0o777;

/** Lists the files in a directory that other users may read, write or execute. */
async function open(directory: string): Promise<string[]> {
  const entries = ["", ...(await readdir(directory, { recursive: true }))];
  // A temporary file can be gone since the list was made.
  const gone = (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? 0 : Promise.reject(error));
  const modes = await Promise.all(entries.map((entry) => modeOf(path.join(directory, entry)).catch(gone)));
  return entries.filter((_, index) => ((modes[index] as number) & 0o077) !== 0);
}

test("files in a data directory are private, new and existing ones", async (t) => {
  const directory = path.join(await temporaryDirectory(t), "a", "data");
  const first = { after: (end: () => Promise<unknown>) => endings.push(end) };
  const endings: (() => Promise<unknown>)[] = [];
  await startService(first, { SERVICE_DATA_DIR: directory });
  assert.ok((await readdir(directory)).includes("easel.db-wal"));
  assert.deepEqual(await open(directory), []);
  for (const end of endings) await end();

  for (const entry of ["", "blobs", "blobs/staging", "uploads"])
    await chmod(path.join(directory, entry), 0o755);
  await chmod(path.join(directory, "easel.db"), 0o644);
  await startService(t, { SERVICE_DATA_DIR: directory });
  await until("uploads are private", async () => !(await open(directory)).includes("uploads"));
  assert.deepEqual(await open(directory), []);
});

test("a directory with other files keeps its mode; the service's own files in it are private", async (t) => {
  const directory = path.join(await temporaryDirectory(t), "shared");
  await mkdir(directory);
  await writeFile(path.join(directory, "notes.txt"), "of somebody else", { mode: 0o644 });
  await chmod(directory, 0o755);
  await startService(t, { SERVICE_DATA_DIR: directory });
  assert.deepEqual(await open(directory), ["", "notes.txt"]);
});
