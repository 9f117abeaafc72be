import type { IncomingHttpHeaders } from "node:http";

/** Whether `If-None-Match` matches an entity tag, so that the client already has the representation. */
export function isFresh({ "if-none-match": known }: IncomingHttpHeaders, etag: string): boolean {
  if (known === undefined) return false;
  return known.split(",").some((each) => ["*", etag, `W/${etag}`].includes(each.trim()));
}

/**
 * Parses `Range` and `If-Range`. Returns the positions of the first and last byte of one range, "all" for the whole representation, or
 * "none" if the range cannot be satisfied. A malformed range, several ranges, and an `If-Range` that does not match result in "all".
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
