import type { IncomingHttpHeaders } from "node:http";
import type { ServedFile } from "./files.ts";

/** Returns the strong ETag of a representation. */
export const etagOf = ({ key, encoding }: ServedFile): string =>
  `"${key.slice(0, 32)}${encoding === "identity" ? "" : `-${encoding}`}"`;

/** Whether the client has this representation already (`If-None-Match`). */
export function isFresh({ "if-none-match": known }: IncomingHttpHeaders, etag: string): boolean {
  if (known === undefined) return false;
  return known.split(",").some((each) => ["*", etag, `W/${etag}`].includes(each.trim()));
}

/** Returns the smallest representation that the client accepts; the uncompressed one for a range request. */
export function chooseRepresentation(
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

/**
 * Parses `Range` and `If-Range`: returns one range, "all", or "none" for a range that cannot be satisfied. Several ranges and malformed
 * ones count as "all".
 */
export function rangeOf(
  { range, "if-range": validator }: IncomingHttpHeaders,
  size: number,
  etag: string,
): { start: number; end: number } | "all" | "none" {
  if (range === undefined || (validator !== undefined && validator !== etag)) return "all";
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  const isSuffix = first === "";
  if (isSuffix ? last === "" : last !== "" && Number(last) < Number(first)) return "all";
  const start = isSuffix ? Math.max(0, size - Number(last)) : Number(first);
  const end = isSuffix || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  return start <= end ? { start, end } : "none";
}
