import type { IncomingHttpHeaders } from "node:http";

/** Whether the client has this representation already (`If-None-Match`). */
export function isFresh({ "if-none-match": known }: IncomingHttpHeaders, etag: string): boolean {
  if (known === undefined) return false;
  return known.split(",").some((each) => ["*", etag, `W/${etag}`].includes(each.trim()));
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
