import type { Env } from "../env.ts";
import { essenceOf } from "../http/body.ts";
import { parseCanvasPath } from "../http/canvas-path.ts";
import { initiatorOf, isCrossOrigin } from "../http/cross-site.ts";
import type { HeaderSink } from "../http/rate-limit.ts";
import { refuse } from "../http/refusal.ts";
import type { ApiVisit, Visit } from "./visit.ts";

/**
 * Which page started a request. "canvas": a page of the canvas, at the second path one of the service, or no page. "other": another page
 * that is allowed. Otherwise the code of the error by which step 4 of the pipeline rejects the request.
 */
export type StartedBy = "canvas" | "other" | "CROSS_CANVAS_FORBIDDEN" | "CROSS_SITE_FORBIDDEN";

/** The media types of bodies that browsers send to another origin without asking it first; an empty text stands for none. */
const SIMPLE_TYPES = ["", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain"];

/**
 * Whether a page of another origin may have made the browser send a request that changes something, if the browser sends no `Sec-Fetch-Site`. Browsers
 * send it without asking first, with the cookies of the viewer. All other requests that change something need a preflight, which gives no page leave.
 */
const mayBeForged = ({ method, headers }: ApiVisit["request"], origin: string): boolean =>
  method === "POST" &&
  headers.origin !== undefined &&
  headers.origin !== origin &&
  initiatorOf(headers) === "unknown" &&
  SIMPLE_TYPES.includes(essenceOf(headers["content-type"]));

/** Determines which page started a request, from headers that pages cannot forge. `byToken`: the caller has sent an access token, which no page has. */
export function startedBy(
  { slug, request, canvasId }: Pick<ApiVisit, "slug" | "request" | "canvasId">,
  byToken: boolean,
  { base }: Env,
): StartedBy {
  if (canvasId !== undefined) return isCrossOrigin(request.headers, base) ? "CROSS_SITE_FORBIDDEN" : "canvas";
  const { origin, referer } = request.headers;
  const crossSite = initiatorOf(request.headers) === "other";
  if (base.urlMode === "subdomain") {
    if (origin !== undefined) return origin === base.canvasOrigin(slug) ? "canvas" : "CROSS_CANVAS_FORBIDDEN";
    // Requests for images and frames, and requests by links, have no `Origin`.
    return crossSite && !referer?.startsWith(base.canvasUrl(slug)) ? "other" : "canvas";
  }
  if (crossSite || (!byToken && mayBeForged(request, base.origin))) return "CROSS_SITE_FORBIDDEN";
  if (referer !== undefined && referer !== base.canvasUrl(slug) && !isPageOf(slug, referer))
    return "CROSS_CANVAS_FORBIDDEN";
  return origin === undefined || origin === base.origin ? "canvas" : "other";
}

/**
 * Step 4 of the pipeline: throws a Refusal if the request was started by a page that may not use the runtime API of the canvas
 * (specification 4.1).
 */
export function isolate(page: StartedBy): void {
  if (page !== "canvas" && page !== "other") refuse(page);
}

/** Whether a URL leads to the pages of a canvas. Normalises the path of the URL first. */
function isPageOf(slug: string, url: string): boolean {
  const path = parseCanvasPath(URL.parse(url)?.pathname ?? "");
  return path?.surface === "content" && path.slug === slug;
}

const EXPOSED =
  "Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Service-Connection-Response";

/**
 * In subdomain mode, sets the CORS headers that allow a page of the canvas to read the response, also if it is an error (specification 4.1,
 * step 4). In path mode, sets none.
 */
export function setCorsHeaders(
  { slug, request, answer }: Pick<Visit, "slug" | "request" | "answer">,
  { base }: Env,
): void {
  if (base.urlMode !== "subdomain") return;
  answer.header("vary", "Origin");
  const { origin } = request.headers;
  if (origin === undefined || origin !== base.canvasOrigin(slug)) return;
  answer.header("access-control-allow-origin", origin);
  answer.header("access-control-allow-credentials", "true");
  answer.header("access-control-expose-headers", EXPOSED);
}

/**
 * Lets pages of the canvas read the response headers in `names`, in addition to `EXPOSED`. Does nothing in path mode: there, pages have the
 * same origin as the API and can read headers without permission.
 */
export function exposeHeaders(names: string[], answer: HeaderSink, { base }: Env): void {
  if (base.urlMode === "subdomain")
    answer.header("access-control-expose-headers", [EXPOSED, ...names].join(", "));
}

const TOKENS = /^[!#$%&'*+.^_`|~0-9a-z-]+(\s*,\s*[!#$%&'*+.^_`|~0-9a-z-]+)*$/i;

/** The time in seconds for which browsers may keep the result of a preflight. It is the longest that Chromium accepts. */
const MAX_AGE = 7_200;

/** Sets the headers of the response to a CORS preflight, `OPTIONS /v1/c/{slug}/*`, which needs no authentication (specification 4.1). */
export function preflight(visit: Pick<Visit, "slug" | "request" | "answer">, env: Env): void {
  setCorsHeaders(visit, env);
  if (env.base.urlMode === "subdomain") visit.answer.header("access-control-max-age", MAX_AGE);
  const requested = visit.request.headers["access-control-request-headers"];
  visit.answer.header("access-control-allow-methods", "GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS");
  visit.answer.header(
    "access-control-allow-headers",
    requested !== undefined && TOKENS.test(requested) ? requested : "Content-Type",
  );
}
