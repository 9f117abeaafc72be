import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import type { Base } from "../config/addresses.ts";
import { parseCanvasPath } from "./canvas-path.ts";
import type { HeaderSink } from "./rate-limit.ts";
import { refuse } from "./refusal.ts";

/* Browsers describe a request by Fetch Metadata headers, which pages cannot forge. Old browsers and most other clients send none. */

/**
 * Returns who started the request. "same": a page of the same origin, or the user, for example by typing a URL. "other": any other page.
 * "unknown": the request has no `Sec-Fetch-Site` header.
 */
export function initiatorOf({ "sec-fetch-site": site }: IncomingHttpHeaders): "same" | "other" | "unknown" {
  if (site === undefined) return "unknown";
  return site === "same-origin" || site === "none" ? "same" : "other";
}

/**
 * Returns how the response will be used: as a document in a tab, a document in a frame, or a part of a document such as an image. Returns
 * "unknown" if the request has no `Sec-Fetch-Dest` header.
 */
export function destinationOf({
  "sec-fetch-dest": destination,
}: IncomingHttpHeaders): "document" | "frame" | "part" | "unknown" {
  if (destination === undefined) return "unknown";
  if (destination === "document") return "document";
  return destination === "iframe" || destination === "frame" ? "frame" : "part";
}

/** Whether the request is a navigation, in a tab or in a frame. */
export const isNavigation = ({ "sec-fetch-mode": mode }: IncomingHttpHeaders): boolean => mode === "navigate";

/**
 * Whether a request was started by a page of another origin or by a page of a canvas. An origin on the same site is also another origin. A
 * `Referer` that is not a URL counts as such a page.
 */
export function isCrossOrigin(headers: IncomingHttpHeaders, base: Base): boolean {
  const { origin, referer } = headers;
  return (
    initiatorOf(headers) === "other" ||
    (origin !== undefined && origin !== base.origin) ||
    (referer !== undefined && !isOwnPage(referer, base))
  );
}

/** Throws 403 `CROSS_SITE_FORBIDDEN` if a page of another origin or a page of a canvas started a request (docs/http/management.md). */
export function requireSameOrigin(headers: IncomingHttpHeaders, base: Base): void {
  if (isCrossOrigin(headers, base))
    refuse("CROSS_SITE_FORBIDDEN", { message: "Only the service's own pages may do this." });
}

/** Whether a URL leads to the service, and there to none of its canvases. */
function isOwnPage(referer: string, base: Base): boolean {
  const url = URL.parse(referer);
  return url?.origin === base.origin && parseCanvasPath(url.pathname)?.surface !== "content";
}

/** Sets the headers that every response has. */
export function setCommonHeaders(reply: FastifyReply, { hsts }: Pick<Base, "hsts">): void {
  reply.header("x-content-type-options", "nosniff");
  if (hsts !== null) reply.header("strict-transport-security", hsts);
}

/**
 * Forbids pages of other origins to embed the response. Such a page could not read the response, but would see whether it loads, and
 * thereby whether something exists. Requests with CORS are not affected.
 */
export function blockEmbedding(answer: HeaderSink): void {
  answer.header("cross-origin-resource-policy", "same-origin");
  answer.header("x-frame-options", "DENY");
}

/** Relaxes `blockEmbedding`: pages of the same site may embed the response, for example as an image, but not in a frame. */
export function allowEmbedding(answer: HeaderSink): void {
  answer.header("cross-origin-resource-policy", "same-site");
}
