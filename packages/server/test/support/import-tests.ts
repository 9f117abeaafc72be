import path from "node:path";
import { before } from "node:test";
import { ROOT } from "../areas.ts";

/** Runs test files in this process. No test starts before all files are imported, because services stop when no test is left. */
export async function importTests(files: string[]): Promise<void> {
  const { promise: imported, resolve } = Promise.withResolvers<void>();
  before(() => imported);
  try {
    for (const file of files) await import(path.join(ROOT, file));
  } finally {
    resolve();
  }
}
