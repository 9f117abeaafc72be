import type { IncomingHttpHeaders } from "node:http";
import type { Base } from "../config/addresses.ts";
import { refuse } from "./refusal.ts";

/** Whether another page started a request: another site's, or a canvas's. */
export function isCrossOrigin(
  { origin, referer, "sec-fetch-site": site }: IncomingHttpHeaders,
  base: Base,
): boolean {
  return (
    (site !== undefined && site !== "same-origin" && site !== "none") ||
    (origin !== undefined && origin !== base.origin) ||
    (referer !== undefined && isCanvasPage(referer))
  );
}

/** Refuses an act that another page started (management API, section 4). */
export function requireSameOrigin(headers: IncomingHttpHeaders, base: Base): void {
  if (isCrossOrigin(headers, base))
    refuse("CROSS_SITE_FORBIDDEN", { message: "Only the service's own pages may do this." });
}

function isCanvasPage(referer: string): boolean {
  const pathname = URL.parse(referer)?.pathname;
  // The router reads `%63` as the letter that it stands for.
  return pathname === undefined || /^\/(c|%63)(\/|$)/.test(pathname);
}
