import type { Canvas } from "@easel/protocol/types";
import type { Service } from "../api/service.ts";
import { formatBytes } from "../terminal/bytes.ts";
import { clean } from "../terminal/clean.ts";
import { count } from "../terminal/count.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { FolderContent } from "./folder.ts";
import type { HashedFile } from "./manifest.ts";
import { cancel, stage } from "./staging.ts";

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
