import type { Env } from "../env.ts";
import { parseCanvasPath } from "../http/canvas-path.ts";
import { initiatorOf } from "../http/fetch-metadata.ts";
import { refuse } from "../http/refusal.ts";
import type { Visit } from "./visit.ts";

/**
 * Which page started a request. "own": a page of the canvas, or no page. "other": another page that is allowed. Otherwise the code of the
 * error by which step 4 of the pipeline rejects the request.
 */
export type StartedBy = "own" | "other" | "CROSS_CANVAS_FORBIDDEN" | "CROSS_SITE_FORBIDDEN";

/** Determines which page started a request, from headers that pages cannot forge. */
export function startedBy({ slug, request }: Pick<Visit, "slug" | "request">, { base }: Env): StartedBy {
  const { origin, referer } = request.headers;
  const crossSite = initiatorOf(request.headers) === "other";
  if (base.urlMode === "subdomain") {
    if (origin !== undefined) return origin === base.canvasOrigin(slug) ? "own" : "CROSS_CANVAS_FORBIDDEN";
    // Requests for images and frames, and requests by links, have no `Origin`.
    return crossSite && !referer?.startsWith(base.canvasUrl(slug)) ? "other" : "own";
  }
  if (crossSite) return "CROSS_SITE_FORBIDDEN";
  if (referer !== undefined && referer !== base.canvasUrl(slug) && !isPageOf(slug, referer))
    return "CROSS_CANVAS_FORBIDDEN";
  return origin === undefined || origin === base.origin ? "own" : "other";
}

/**
 * Step 4 of the pipeline: throws a Refusal if the request was started by a page that may not use the runtime API of the canvas
 * (specification 4.1).
 */
export function isolate(page: StartedBy): void {
  if (page !== "own" && page !== "other") refuse(page);
}

/** Whether a URL leads to the pages of a canvas. Normalises the path of the URL first. */
function isPageOf(slug: string, url: string): boolean {
  const path = parseCanvasPath(URL.parse(url)?.pathname ?? "");
  return path?.surface === "content" && path.slug === slug;
}
