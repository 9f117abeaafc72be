import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import type { Visit } from "./visit.ts";

/** The page that started a request: one of the canvas's own or none at all, another one, or one that step 4 refuses. */
export type StartedBy = "own" | "other" | "CROSS_CANVAS_FORBIDDEN" | "CROSS_SITE_FORBIDDEN";

/** Finds out from headers that no page can forge which page started a request. */
export function startedBy({ slug, request }: Pick<Visit, "slug" | "request">, { base }: Env): StartedBy {
  const { origin, referer, "sec-fetch-site": site } = request.headers;
  const crossSite = site !== undefined && site !== "same-origin" && site !== "none";
  if (base.urlMode === "subdomain") {
    if (origin !== undefined) return origin === base.canvasOrigin(slug) ? "own" : "CROSS_CANVAS_FORBIDDEN";
    // Pictures, frames and links have no `Origin`.
    return crossSite && !referer?.startsWith(base.canvasUrl(slug)) ? "other" : "own";
  }
  if (crossSite) return "CROSS_SITE_FORBIDDEN";
  if (referer !== undefined && referer !== base.canvasUrl(slug) && !isUnder(referer, `/c/${slug}`))
    return "CROSS_CANVAS_FORBIDDEN";
  return origin === undefined || origin === base.origin ? "own" : "other";
}

/** Step 4: from which page. Only a canvas's own pages may call its API (specification 4.1). */
export function isolate(page: StartedBy): void {
  if (page !== "own" && page !== "other") refuse(page);
}

/** Whether a URL's normalised path is `folder` or beneath it. */
function isUnder(url: string, folder: string): boolean {
  const pathname = URL.parse(url)?.pathname;
  return pathname === folder || pathname?.startsWith(`${folder}/`) === true;
}
