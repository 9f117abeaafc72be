import type { IncomingHttpHeaders } from "node:http";

/* Browsers describe a request by Fetch Metadata headers, which pages cannot forge. Old browsers and most other clients send none. */

/**
 * Returns who started the request. "own": a page of the same origin, or the user, for example by typing a URL. "other": any other page.
 * "unknown": the request has no `Sec-Fetch-Site` header.
 */
export function initiatorOf({ "sec-fetch-site": site }: IncomingHttpHeaders): "own" | "other" | "unknown" {
  if (site === undefined) return "unknown";
  return site === "same-origin" || site === "none" ? "own" : "other";
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
