import { parseCanvasPath } from "./canvas-path.ts";
import { refuse } from "./refusal.ts";

/*
 * The router refuses paths that are not percent-encoded UTF-8 before any handler runs. Below a canvas the pipeline comes first,
 * so such a path is routed under a stand-in, and its handler refuses it after the pipeline.
 */

const isDecodable = (path: string): boolean => {
  if (!path.includes("%")) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
};

const pathOf = (url: string): string => url.split("?", 1)[0] as string;

/** The URL by which the router finds the route of a runtime API request: segments that cannot be decoded are made plain. */
export function routableUrl(url: string): string {
  if (!url.includes("%") || parseCanvasPath(url)?.surface !== "api") return url;
  const path = pathOf(url);
  if (isDecodable(path)) return url;
  const segments = path.split("/").map((each) => (isDecodable(each) ? each : each.replaceAll("%", "_")));
  return segments.join("/") + url.slice(path.length);
}

/** Refuses a request whose path cannot be decoded; `url` is the one that was sent. */
export function requireDecodable(url: string): void {
  if (url.includes("%") && !isDecodable(pathOf(url)))
    refuse("INVALID_BODY", { message: "The path is not percent-encoded UTF-8." });
}
