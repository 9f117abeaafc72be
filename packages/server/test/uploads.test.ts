import assert from "node:assert/strict";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { until } from "@easel/conformance/patience";
import { startService, temporaryDirectory } from "./support.ts";

test("an upload that a killed process left is gone after the next start; a fresh one may be under way", async (t) => {
  const directory = await temporaryDirectory(t);
  const uploads = path.join(directory, "uploads");
  await mkdir(uploads);
  for (const name of ["old.zip", "fresh.zip"]) await writeFile(path.join(uploads, name), "half");
  const then = new Date(Date.now() - 2 * 60 * 60 * 1000);
  await utimes(path.join(uploads, "old.zip"), then, then);
  await startService(t, { SERVICE_DATA_DIR: directory });
  await until("the old upload is gone", async () => !(await readdir(uploads)).includes("old.zip"));
  assert.deepEqual(await readdir(uploads), ["fresh.zip"]);
});
