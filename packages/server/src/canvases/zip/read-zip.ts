import { LIMITS } from "@easel/protocol/limits";
import { refuse } from "../../http/refusal.ts";
import { readHeaders } from "./central-header.ts";
import { findDirectory } from "./end-of-directory.ts";
import { checkEntries, type ZipEntry } from "./zip-check.ts";
import type { ZipSource } from "./zip-source.ts";

/**
 * Reads the entries of a zip. Throws 400 `INVALID_BODY` if there are more than `limit`, or if two programs could see
 * different files in the zip: its records must agree with each other, and must fill the file without gaps.
 */
export async function readZip(
  source: ZipSource,
  limit: number = LIMITS.bundleEntries.value,
): Promise<ZipEntry[]> {
  const directory = await findDirectory(source);
  if (directory.entries > limit) refuse("INVALID_BODY", { message: "The zip has too many entries." });
  return checkEntries(source, await readHeaders(source, directory), directory);
}
