import type { FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { isSlug, parseCanvasPath } from "../http/canvas-path.ts";
import { hostOf } from "../http/host-header.ts";
import { redirect, refuse } from "../http/refusal.ts";

/**
 * In subdomain mode, redirects a request for the pages of a canvas to the host of that canvas, such as `tea.example.org`, if it came to
 * another host. Throws 404 `NOT_FOUND` if the slug is malformed. Runs first on every route of canvas pages.
 */
export function requireOwnHost(request: FastifyRequest, { base }: Env): void {
  if (base.urlMode !== "subdomain") return;
  const { slug } = request.params as { slug: string };
  if (base.labelOf(hostOf(request.headers, base)) === slug) return;
  if (!isSlug(slug)) refuse("NOT_FOUND");
  const { rest = "" } = parseCanvasPath(request.url) ?? {};
  redirect(base.canvasUrl(slug) + rest.replace(/^\//, ""), 308);
}
