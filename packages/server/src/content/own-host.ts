import type { FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { isSlug, parseCanvasPath } from "../http/canvas-path.ts";
import { hostOf } from "../http/host-header.ts";
import { redirect, refuse } from "../http/refusal.ts";

/**
 * In subdomain mode a canvas is at its own host alone: whoever asks the base host for it, in whatever spelling, is sent
 * there. For every route of a canvas's pages, before anything else.
 */
export function requireOwnHost(request: FastifyRequest, { base }: Env): void {
  if (base.urlMode !== "subdomain") return;
  const { slug } = request.params as { slug: string };
  if (base.labelOf(hostOf(request.headers, base)) === slug) return;
  if (!isSlug(slug)) refuse("NOT_FOUND");
  const { rest = "" } = parseCanvasPath(request.url) ?? {};
  redirect(base.canvasUrl(slug) + rest.replace(/^\//, ""), 308);
}
