import type { IncomingHttpHeaders } from "node:http";
import type { Env } from "../env.ts";
import { parseCanvasPath } from "../http/canvas-path.ts";

/**
 * Returns the slug of the canvas whose page or script sent a request, according to the `Referer` header. Returns null if there is no such
 * canvas.
 */
export function referringCanvas(
  { referer }: IncomingHttpHeaders,
  { base }: Pick<Env, "base">,
): string | null {
  const url = URL.parse(referer ?? "");
  if (url === null) return null;
  if (base.urlMode === "subdomain") {
    const slug = base.labelOf(url.host);
    return slug !== null && url.origin === base.canvasOrigin(slug) ? slug : null;
  }
  const path = url.origin === base.origin ? parseCanvasPath(url.pathname) : null;
  return path?.surface === "content" ? path.slug : null;
}
