import { LIMITS } from "@easel/protocol/limits";
import { parseCanvasPath } from "../../http/canvas-path.ts";
import { refuse } from "../../http/refusal.ts";

/** Matches what follows the slug: `/connections`, the profile, then the relative path with its slash, and the query. */
const REST = /^\/[^/?]*\/[^/?]*(\/[^?]*)?(\?.*)?$/s;

/**
 * Returns the path and query for the upstream from the URL of a request: all that follows the profile, without decoding it. Throws 413
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
