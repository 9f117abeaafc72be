import type { Env } from "../env.ts";
import { refuse } from "../kit/refusal.ts";
import type { Visit } from "./visit.ts";

/** Step 4: from which page. Only a canvas's own pages may call its API (specification 4.1). */
export function isolate({ slug, request }: Visit, { base }: Env): void {
  const { origin, referer, "sec-fetch-site": site } = request.headers;
  if (base.urlMode === "subdomain") {
    if (origin !== undefined && origin !== base.canvasOrigin(slug)) refuse("CROSS_CANVAS_FORBIDDEN");
    return;
  }
  if (site !== undefined && site !== "same-origin" && site !== "none") refuse("CROSS_SITE_FORBIDDEN");
  if (referer === undefined || referer === base.canvasUrl(slug)) return;
  if (!isUnder(referer, `/c/${slug}`)) refuse("CROSS_CANVAS_FORBIDDEN");
}

/** Whether a URL's normalised path is `folder` or beneath it. */
function isUnder(url: string, folder: string): boolean {
  const pathname = URL.parse(url)?.pathname;
  return pathname === folder || pathname?.startsWith(`${folder}/`) === true;
}
