import type { IncomingHttpHeaders } from "node:http";
import type { Base } from "../config/addresses.ts";
import { parseCanvasPath } from "./canvas-path.ts";
import { initiatorOf } from "./fetch-metadata.ts";
import { refuse } from "./refusal.ts";

/**
 * Whether a request was started by a page of another origin or by a page of a canvas. An origin on the same site is also another origin. A
 * `Referer` that is not a URL counts as a page of a canvas.
 */
export function isCrossOrigin(headers: IncomingHttpHeaders, base: Base): boolean {
  const { origin, referer } = headers;
  return (
    initiatorOf(headers) === "other" ||
    (origin !== undefined && origin !== base.origin) ||
    (referer !== undefined && isCanvasPage(referer))
  );
}

/** Throws 403 `CROSS_SITE_FORBIDDEN` if a page of another origin or a page of a canvas started a request (docs/http/management.md). */
export function requireSameOrigin(headers: IncomingHttpHeaders, base: Base): void {
  if (isCrossOrigin(headers, base))
    refuse("CROSS_SITE_FORBIDDEN", { message: "Only the service's own pages may do this." });
}

function isCanvasPage(referer: string): boolean {
  const pathname = URL.parse(referer)?.pathname;
  return pathname === undefined || parseCanvasPath(pathname)?.surface === "content";
}
