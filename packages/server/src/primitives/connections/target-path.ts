import { LIMITS } from "@easel/protocol/limits";
import { parseCanvasPath } from "../../http/canvas-path.ts";
import { refuse } from "../../http/refusal.ts";

/** Matches the part of a URL after the slug: `/connections`, a slash, the profile name, the relative path with its slash, and the query. */
const REST = /^\/[^/?]*\/[^/?]*(\/[^?]*)?(\?.*)?$/s;

/**
 * Returns the path and query that the upstream gets: the part of the request URL after the profile name, still percent-encoded. Throws 413
 * `REQUEST_TOO_LARGE` if they are too long.
 */
export function targetPath(url: string): string {
  const [, path = "/", query = ""] = REST.exec(parseCanvasPath(url)?.rest ?? "") ?? [];
  const { value: most } = LIMITS.connectionUrlBytes;
  if (path.length - 1 + query.length > most)
    refuse("REQUEST_TOO_LARGE", { message: `The path and the query may have ${most} bytes together.` });
  return path + query;
}

/** Returns the URL of a path at an origin. Throws 403 `DESTINATION_BLOCKED` if the URL has another origin. */
export function targetUrl(path: string, origin: string): URL {
  const url = URL.parse(origin + path);
  if (url === null || url.origin !== origin) return refuse("DESTINATION_BLOCKED");
  return url;
}
