/** What the address of the screen keeps: the version that is shown, the one it is compared with, and the path of the file that is open. */
export interface VersionsSearch {
  version?: string;
  /** The id of another version, or `none` to list all files. Without it, the version is compared with the one before. */
  with?: string;
  file?: string;
}

/** Reads the search parameters of an address, which anybody can write. */
export function parseSearch(search: Record<string, unknown>): VersionsSearch {
  const found: VersionsSearch = {};
  for (const name of ["version", "with", "file"] as const) {
    const value = search[name];
    if (typeof value === "string" && value !== "") found[name] = value;
  }
  return found;
}
