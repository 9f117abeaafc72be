import { parseCanvasPath } from "./canvas-path.ts";
import { refuse } from "./refusal.ts";

/*
 * The router rejects a path that is not percent-encoded UTF-8 before any handler runs. In the runtime API, authentication and the other
 * steps of the pipeline must come first. So such a path is replaced by one that the router accepts, and rejected after the pipeline.
 */

/** Decodes a path. Returns null if it is not percent-encoded UTF-8. */
function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

const isDecodable = (path: string): boolean => !path.includes("%") || decoded(path) !== null;

const pathOf = (url: string): string => url.split("?", 1)[0] as string;

/**
 * Returns the URL of a runtime API request, with `%` replaced by `_` in the path segments that cannot be decoded. Returns any other URL
 * unchanged.
 */
export function routableUrl(url: string): string {
  if (!url.includes("%") || parseCanvasPath(url)?.surface !== "api") return url;
  const path = pathOf(url);
  if (isDecodable(path)) return url;
  const segments = path.split("/").map((each) => (isDecodable(each) ? each : each.replaceAll("%", "_")));
  return segments.join("/") + url.slice(path.length);
}

/**
 * Throws 400 `INVALID_BODY` if the path of a URL cannot be decoded. `url` is the original URL of the request, not the result of
 * `routableUrl`.
 */
export function requireDecodable(url: string): void {
  if (url.includes("%") && !isDecodable(pathOf(url)))
    refuse("INVALID_BODY", { message: "The path is not percent-encoded UTF-8." });
}
