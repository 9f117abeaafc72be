import type { IncomingHttpHeaders } from "node:http";
import { refuse } from "./refusal.ts";
import { isFresh, rangeOf } from "./request-headers.ts";

/** The part of a representation that the response to a request has. */
interface Selection {
  status: 200 | 206 | 304;
  headers: Record<string, string>;
  /** The number of bytes of the body. */
  size: number;
  /** The first and the last byte of the body, if it is a range. */
  range: { start: number; end: number } | undefined;
  /** Whether the response has a body. */
  hasBody: boolean;
}

/**
 * Selects what the response to a GET or HEAD request has of a representation with a size in bytes and an entity tag: all bytes, the range in
 * `Range` unless `If-Range` names another tag, or nothing if `If-None-Match` says that the client has them. The headers describe the bytes
 * that are sent. Throws 416 `RANGE_NOT_SATISFIABLE` for a range that lies outside.
 */
export function selectBytes(
  { method, headers: asked }: { method: string; headers: IncomingHttpHeaders },
  size: number,
  etag: string,
): Selection {
  if (isFresh(asked, etag))
    return { status: 304, headers: { etag }, size: 0, range: undefined, hasBody: false };
  const hasBody = method !== "HEAD";
  const range = hasBody ? rangeOf(asked, size, etag) : "all";
  if (range === "none")
    return refuse("RANGE_NOT_SATISFIABLE", {}, undefined, { "content-range": `bytes */${size}` });
  const headers = { etag, "accept-ranges": "bytes" };
  if (range === "all") {
    const all = { ...headers, "content-length": String(size) };
    return { status: 200, headers: all, size, range: undefined, hasBody };
  }
  const { start, end } = range;
  const part = {
    "content-length": String(end - start + 1),
    "content-range": `bytes ${start}-${end}/${size}`,
  };
  return { status: 206, headers: { ...headers, ...part }, size: end - start + 1, range, hasBody };
}
