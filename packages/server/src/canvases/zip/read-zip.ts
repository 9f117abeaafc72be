import { LIMITS } from "@easel/protocol/limits";
import { refuse } from "../../http/refusal.ts";
import { readHeaders } from "./central-header.ts";
import { findDirectory } from "./end-of-directory.ts";
import { checkEntries, type ZipEntry } from "./zip-check.ts";
import type { ZipSource } from "./zip-source.ts";

/** The limits of a zip: the number of its entries, and the length of the name of an entry in bytes. */
export interface ZipLimits {
  entries: number;
  nameBytes: number;
}

/** The limits of bundles. Longer names are in folders that are removed or left out, or break the limit of paths. */
const BUNDLE: ZipLimits = { entries: LIMITS.bundleEntries.value, nameBytes: 4096 };

/**
 * Reads the entries of a zip. Throws 400 `INVALID_BODY` if the zip exceeds a limit, or if two programs could see different files in the
 * zip: its records must agree with each other, and must fill the file without gaps (decision 030).
 */
export async function readZip(source: ZipSource, limits: ZipLimits = BUNDLE): Promise<ZipEntry[]> {
  const directory = await findDirectory(source);
  const isLong = directory.end - directory.start > LIMITS.zipDirectoryBytes.value;
  if (directory.entries > limits.entries || isLong)
    refuse("INVALID_BODY", { message: "The zip has too many entries." });
  return checkEntries(source, await readHeaders(source, directory, limits.nameBytes), directory);
}
