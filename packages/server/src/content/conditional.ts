import type { IncomingHttpHeaders } from "node:http";
import rangeParser from "range-parser";
import type { ServedFile } from "./files.ts";

/** The strong validator of a representation. */
export const etagOf = ({ key, encoding }: ServedFile): string =>
  `"${key.slice(0, 32)}${encoding === "identity" ? "" : `-${encoding}`}"`;

/** Whether the client already has this representation (`If-None-Match`). */
export function isFresh({ "if-none-match": known }: IncomingHttpHeaders, etag: string): boolean {
  if (known === undefined) return false;
  return known.split(",").some((each) => ["*", etag, `W/${etag}`].includes(each.trim()));
}

/** Of the representations of one path, the smallest that the client can read; a range is always of the plain bytes. */
export function choose(
  files: ServedFile[],
  { "accept-encoding": accepted, range }: IncomingHttpHeaders,
): ServedFile {
  const readable = files.filter(
    ({ encoding }) => encoding === "identity" || (range === undefined && accepts(accepted, encoding)),
  );
  return readable.reduce((best, each) => (each.size < best.size ? each : best));
}

function accepts(header: string | undefined, encoding: string): boolean {
  const entry = header?.split(",").find((each) => each.split(";")[0]?.trim().toLowerCase() === encoding);
  return entry !== undefined && !/;\s*q=0(\.0*)?\s*$/i.test(entry);
}

/** The bytes that are asked for: one range, "all", or "none" when the range lies outside. Several ranges get it all. */
export function rangeOf(
  { range, "if-range": validator }: IncomingHttpHeaders,
  size: number,
  etag: string,
): { start: number; end: number } | "all" | "none" {
  if (range === undefined || (validator !== undefined && validator !== etag)) return "all";
  // A suffix longer than the file is all of the file.
  const suffix = /^bytes=-(\d+)$/.exec(range)?.[1];
  if (suffix !== undefined && Number(suffix) >= size && size > 0) return { start: 0, end: size - 1 };
  const ranges = rangeParser(size, range, { combine: true });
  if (ranges === -1) return "none";
  if (ranges === -2 || ranges.type !== "bytes" || ranges.length !== 1) return "all";
  return ranges[0] as { start: number; end: number };
}
