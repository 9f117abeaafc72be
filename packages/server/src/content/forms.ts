import type { FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { initiatorOf } from "../http/cross-site.ts";
import { firstValue, type Query } from "../http/query.ts";
import { refuse } from "../http/refusal.ts";
import type { HasHeaders } from "../http/request-headers.ts";
import { referringCanvas } from "./isolation.ts";

/* The forms on error pages of canvases. They are submitted to a path below the URL of the canvas, with the requested page in `to`. */

/** The path of the password form. */
export const GATE = "__gate";

/** The path of the form with which a caller asks for access. */
export const ASK = "__ask";

/**
 * Throws 403 `CROSS_SITE_FORBIDDEN` unless a form of an error page of the canvas itself was submitted, or a program sent the request. Pages of other
 * origins, and in path mode those of other canvases, could otherwise use up the attempts of the caller, or ask in their name.
 */
export function requireOwnForm(slug: string, { headers }: HasHeaders, { base }: Env): void {
  const { origin } = headers;
  const initiator = initiatorOf(headers);
  const isForeign =
    initiator === "unknown"
      ? origin !== undefined && origin !== "null" && origin !== base.canvasOrigin(slug)
      : initiator === "other";
  const canvas = referringCanvas(headers, { base });
  if (isForeign || (canvas !== null && canvas !== slug)) refuse("CROSS_SITE_FORBIDDEN");
}

/**
 * Returns the URL to which a form of an error page leads: the page in the query parameter `to` if it belongs to the canvas, otherwise the
 * canvas's start page.
 */
export function formTarget(slug: string, request: FastifyRequest, { base }: Env): string {
  const canvasUrl = base.canvasUrl(slug);
  const url = URL.parse(`./${firstValue(request.query as Query, "to") ?? ""}`, canvasUrl);
  return url?.href.startsWith(canvasUrl) === true ? url.href : canvasUrl;
}
