import type { IncomingHttpHeaders } from "node:http";

/*
 * The Fetch Metadata headers, by which browsers describe a request. No page can forge them; programs and old browsers send none.
 */

/** Which page started a request: one of the same origin or the person themselves, another one, or unknown without the header. */
export function initiatorOf({ "sec-fetch-site": site }: IncomingHttpHeaders): "own" | "other" | "unknown" {
  if (site === undefined) return "unknown";
  return site === "same-origin" || site === "none" ? "own" : "other";
}

/** Destination of a request: a document in a tab, one in a frame, a part of a document, or unknown without the header. */
export function destinationOf({
  "sec-fetch-dest": destination,
}: IncomingHttpHeaders): "document" | "frame" | "part" | "unknown" {
  if (destination === undefined) return "unknown";
  if (destination === "document") return "document";
  return destination === "iframe" || destination === "frame" ? "frame" : "part";
}

/** Whether a browser navigates to the address, in a tab or a frame. */
export const isNavigation = ({ "sec-fetch-mode": mode }: IncomingHttpHeaders): boolean => mode === "navigate";
