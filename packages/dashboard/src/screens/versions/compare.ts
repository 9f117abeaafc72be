import type { VersionFile } from "../../api/types.ts";

/** How a file differs between two versions. `before` is null for an added one, `after` for a removed one. */
export interface Difference {
  kind: "added" | "removed" | "changed" | "renamed";
  /** The path in the newer version; of a removed file, in the older one. */
  path: string;
  before: VersionFile | null;
  after: VersionFile | null;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Takes the removed file that has the bytes of an added one, above all one with the same name. Empty files are all the same, so none counts. */
function takeFormer({ sha256, size, path }: VersionFile, removed: Map<string, VersionFile[]>) {
  const candidates = size === 0 ? undefined : removed.get(sha256);
  if (candidates === undefined || candidates.length === 0) return null;
  const sameName = candidates.findIndex((each) => nameOf(each.path) === nameOf(path));
  return candidates.splice(Math.max(sameName, 0), 1)[0] ?? null;
}

/** Compares the files of two versions by their paths and hashes. Returns the differences, sorted by path. */
export function compareFiles(before: readonly VersionFile[], after: readonly VersionFile[]): Difference[] {
  const former = new Map(before.map((file) => [file.path, file]));
  const differences: Difference[] = [];
  const added: VersionFile[] = [];
  for (const file of after) {
    const old = former.get(file.path);
    former.delete(file.path);
    if (old === undefined) added.push(file);
    else if (old.sha256 !== file.sha256)
      differences.push({ kind: "changed", path: file.path, before: old, after: file });
  }
  const removed = Map.groupBy(former.values(), ({ sha256 }) => sha256);
  for (const file of added) {
    const old = takeFormer(file, removed);
    differences.push({ kind: old === null ? "added" : "renamed", path: file.path, before: old, after: file });
  }
  for (const file of [...removed.values()].flat())
    differences.push({ kind: "removed", path: file.path, before: file, after: null });
  return differences.sort((a, b) => (a.path < b.path ? -1 : 1));
}
