import type { Canvas, VersionFile } from "@easel/protocol/types";
import type { Service } from "../api/service.ts";
import { clean } from "../terminal/clean.ts";
import { count, formatBytes } from "../terminal/format.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { FolderContent } from "./folder.ts";
import type { HashedFile } from "./manifest.ts";
import { cancel, stage } from "./staging.ts";

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

/** Prints what a deploy would send and what it would leave out. Publishes nothing. `canvas` is undefined if the deploy would create it. */
export async function dryRun(
  slug: string,
  canvas: Canvas | undefined,
  files: readonly HashedFile[],
  { leftOut, warnings }: FolderContent,
  service: Service,
  terminal: Terminal,
): Promise<void> {
  let isMissing = (_: HashedFile) => true;
  if (canvas !== undefined) {
    const { id, missing } = await stage(
      canvas.id,
      files,
      { expectedVersion: undefined, message: undefined, releaseId: undefined },
      service,
    );
    await cancel(canvas.id, id, service);
    const hashes = new Set(missing);
    isMissing = ({ sha256 }) => hashes.has(sha256);
  }
  const sent = files.filter(isMissing).map(({ path, size }) => ({ path, size }));
  const bytes = sent.reduce((sum, { size }) => sum + size, 0);
  const created = canvas === undefined;
  terminal.result({ slug, created, files: files.length, sent, bytes, leftOut, warnings }, () =>
    [
      ...sent.map(({ path, size }) => `send      ${clean(path)} (${formatBytes(size)})`),
      ...leftOut.map(({ path, reason }) => `left out  ${clean(path)} (${reason})`),
      `${created ? `${slug} would be made with` : `${slug} would get a new version of`} ${count(files.length, "file")}; ${sent.length} would be sent, ${formatBytes(bytes)}.`,
      "",
    ].join("\n"),
  );
}
