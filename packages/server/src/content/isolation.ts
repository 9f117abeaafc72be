import type { IncomingHttpHeaders } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { apiPath, contentPath, isSlug, parseCanvasPath } from "../http/canvas-path.ts";
import { destinationOf, initiatorOf } from "../http/cross-site.ts";
import { hostOf } from "../http/hosts.ts";
import type { HeaderSink } from "../http/rate-limit.ts";
import { redirect, refuse } from "../http/refusal.ts";
import type { HasHeaders } from "../http/request-headers.ts";

/**
 * In subdomain mode, redirects a request for the pages of a canvas to the host of that canvas, such as `tea.example.org`, if it came to
 * another host. Throws 404 `NOT_FOUND` if the slug is malformed. Runs first on every route of canvas pages.
 */
export function requireCanvasHost(request: FastifyRequest, { base }: Env): void {
  if (base.urlMode !== "subdomain") return;
  const { slug } = request.params as { slug: string };
  if (base.labelOf(hostOf(request.headers, base)) === slug) return;
  if (!isSlug(slug)) refuse("NOT_FOUND");
  const { rest = "" } = parseCanvasPath(request.url) ?? {};
  redirect(base.canvasUrl(slug) + rest.replace(/^\//, ""), 308);
}

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

/**
 * Prevents pages of other origins from loading canvas content. Sets the `Cross-Origin-Resource-Policy` header. In subdomain mode, where
 * each canvas has its own origin, also throws 403 `CROSS_SITE_FORBIDDEN` for subresource requests from pages of other origins. Requests
 * without `Sec-Fetch-Site` or `Sec-Fetch-Dest` are allowed (decision 015).
 */
export function requireSameOrigin({ headers }: HasHeaders, answer: HeaderSink, { base }: Env): void {
  answer.header("cross-origin-resource-policy", "same-origin");
  if (base.urlMode === "path") return;
  if (initiatorOf(headers) === "other" && destinationOf(headers) === "part")
    refuse("CROSS_SITE_FORBIDDEN", { message: "Only the canvas's own pages may load this." });
}

/** Returns the Content-Security-Policy of canvas content. */
export function contentPolicy(slug: string, { base, config }: Env): string {
  const ancestors = `frame-ancestors ${["'self'", base.origin, ...config.frameAncestors].join(" ")}`;
  return base.urlMode === "path" ? [...canvasPathsOnly(slug, base.origin), ancestors].join("; ") : ancestors;
}

/**
 * Returns the Content-Security-Policy directives for path mode, where all canvases share an origin. They let a page send requests to its
 * own canvas and to other origins, but to no other canvas.
 */
function canvasPathsOnly(slug: string, origin: string): string[] {
  const folder = `${origin}${contentPath(slug)}/`;
  const api = `${origin}${apiPath(slug)}/`;
  return [
    `connect-src ${folder} ${api} ${api.replace(/^http/, "ws")} https: wss: data: blob:`,
    `form-action ${folder} ${api} https:`,
    `frame-src ${folder} https: data: blob:`,
    `worker-src ${folder} blob:`,
  ];
}
