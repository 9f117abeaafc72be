import type { IncomingHttpHeaders } from "node:http";
import type { ServedFile } from "../drivers/canvas-content.ts";

/** Returns the strong ETag of a file in one encoding. */
export const etagOf = ({ key, encoding }: Pick<ServedFile, "key" | "encoding">): string =>
  `"${key.slice(0, 32)}${encoding === "identity" ? "" : `-${encoding}`}"`;

/** Chooses the smallest encoding of a file that the client accepts, or the uncompressed file for a range request. */
export function chooseRepresentation<File extends Pick<ServedFile, "encoding" | "size">>(
  files: File[],
  { "accept-encoding": accepted, range }: IncomingHttpHeaders,
): File {
  const readable = files.filter(
    ({ encoding }) => encoding === "identity" || (range === undefined && accepts(accepted, encoding)),
  );
  return readable.reduce((best, each) => (each.size < best.size ? each : best));
}

function accepts(header: string | undefined, encoding: string): boolean {
  const entry = header?.split(",").find((each) => each.split(";")[0]?.trim().toLowerCase() === encoding);
  return entry !== undefined && !/;\s*q=0(\.0*)?\s*$/i.test(entry);
}
