import { LIMITS } from "@easel/protocol/limits";
import { refuse } from "../../http/refusal.ts";
import { readHeaders } from "./central-header.ts";
import { findDirectory } from "./end-of-directory.ts";
import { checkEntries, type ZipEntry } from "./zip-check.ts";
import type { ZipSource } from "./zip-source.ts";

/**
 * Reads the entries of a zip. Throws 400 `INVALID_BODY` if it has too many, or if two readers could see different files in it: its records
 * must agree with each other and fill the file exactly.
 */
export async function readZip(source: ZipSource): Promise<ZipEntry[]> {
  const directory = await findDirectory(source);
  if (directory.entries > LIMITS.bundleEntries.value)
    refuse("INVALID_BODY", { message: "The bundle has too many entries." });
  return checkEntries(source, await readHeaders(source, directory), directory);
}
