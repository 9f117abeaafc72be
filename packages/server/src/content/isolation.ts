import type { Env } from "../env.ts";
import { apiPath, contentPath } from "../http/canvas-path.ts";
import { destinationOf, initiatorOf } from "../http/fetch-metadata.ts";
import type { HasHeaders } from "../http/has-headers.ts";
import type { HeaderSink } from "../http/rate-limit.ts";
import { refuse } from "../http/refusal.ts";

/**
 * Prevents pages of other origins from loading canvas content. Sets the `Cross-Origin-Resource-Policy` header. In subdomain mode, where
 * each canvas has its own origin, also throws 403 `CROSS_SITE_FORBIDDEN` for subresource requests from pages of other origins. Requests
 * without `Sec-Fetch-Site` or `Sec-Fetch-Dest` are allowed (decision 015).
 */
export function requireOwnOrigin({ headers }: HasHeaders, answer: HeaderSink, { base }: Env): void {
  answer.header("cross-origin-resource-policy", "same-origin");
  if (base.urlMode === "path") return;
  if (initiatorOf(headers) === "other" && destinationOf(headers) === "part")
    refuse("CROSS_SITE_FORBIDDEN", { message: "Only the canvas's own pages may load this." });
}

/** Returns the Content-Security-Policy of canvas content. */
export function contentPolicy(slug: string, { base, config }: Env): string {
  const ancestors = `frame-ancestors ${["'self'", base.origin, ...config.frameAncestors].join(" ")}`;
  return base.urlMode === "path" ? [...ownPathsOnly(slug, base.origin), ancestors].join("; ") : ancestors;
}

/**
 * Returns the Content-Security-Policy directives for path mode, where all canvases share an origin. They let a page send requests to its
 * own canvas and to other origins, but to no other canvas.
 */
function ownPathsOnly(slug: string, origin: string): string[] {
  const own = `${origin}${contentPath(slug)}/`;
  const api = `${origin}${apiPath(slug)}/`;
  return [
    `connect-src ${own} ${api} ${api.replace(/^http/, "ws")} https: wss: data: blob:`,
    `form-action ${own} ${api} https:`,
    `frame-src ${own} https: data: blob:`,
    `worker-src ${own} blob:`,
  ];
}
