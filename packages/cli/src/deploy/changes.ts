import type { Canvas, VersionFile } from "@easel/protocol/types";
import type { Service } from "../api/service.ts";
import type { HashedFile } from "./manifest.ts";

/** How many files a deploy adds, changes and removes. */
export interface FileChanges {
  added: number;
  changed: number;
  removed: number;
}

/** Returns how files differ from those of a version. */
export function changesBetween(before: readonly VersionFile[], files: readonly HashedFile[]): FileChanges {
  const known = new Map(before.map(({ path, sha256 }) => [path, sha256]));
  const kept = files.filter(({ path }) => known.has(path));
  return {
    added: files.length - kept.length,
    changed: kept.filter(({ path, sha256 }) => known.get(path) !== sha256).length,
    removed: known.size - kept.length,
  };
}

/** Returns how files differ from those of the published version of a canvas. Returns undefined if none is published. */
export async function readChanges(
  { id, version, publicationStatus }: Canvas,
  files: readonly HashedFile[],
  service: Service,
): Promise<FileChanges | undefined> {
  if (version === null || publicationStatus === "unpublished") return undefined;
  const response = await service.send(`/api/canvases/${id}/versions/${version}/files`, () => ({}));
  const { files: before } = (await response.json()) as { files: VersionFile[] };
  return changesBetween(before, files);
}

/** Whether no file differs. */
export const isUnchanged = ({ added, changed, removed }: FileChanges): boolean =>
  added + changed + removed === 0;

/** Describes changes in words, such as `1 file added, 2 changed`. */
export function describeChanges({ added, changed, removed }: FileChanges): string {
  const parts = [
    [added, "added"],
    [changed, "changed"],
    [removed, "removed"],
  ] as const;
  return parts
    .filter(([number]) => number > 0)
    .map(([number, what], at) => `${number}${at > 0 ? "" : number === 1 ? " file" : " files"} ${what}`)
    .join(", ");
}
