import type { IncomingHttpHeaders } from "node:http";
import type { Base } from "../config/addresses.ts";
import { parseCanvasPath } from "./canvas-path.ts";
import { initiatorOf } from "./fetch-metadata.ts";
import { refuse } from "./refusal.ts";

/**
 * Whether a page of another origin, also of the same site, or of a canvas started a request. A `Referer` that is not a URL counts as a
 * canvas.
 */
export function isCrossOrigin(headers: IncomingHttpHeaders, base: Base): boolean {
  const { origin, referer } = headers;
  return (
    initiatorOf(headers) === "other" ||
    (origin !== undefined && origin !== base.origin) ||
    (referer !== undefined && isCanvasPage(referer))
  );
}

/** Throws 403 `CROSS_SITE_FORBIDDEN` if a page of another origin or of a canvas started a request (management API, section 4). */
export function requireSameOrigin(headers: IncomingHttpHeaders, base: Base): void {
  if (isCrossOrigin(headers, base))
    refuse("CROSS_SITE_FORBIDDEN", { message: "Only the service's own pages may do this." });
}

function isCanvasPage(referer: string): boolean {
  const pathname = URL.parse(referer)?.pathname;
  return pathname === undefined || parseCanvasPath(pathname)?.surface === "content";
}
