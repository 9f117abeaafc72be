import type { FastifyReply } from "fastify";
import type { HeaderSink } from "./rate-limit.ts";

/**
 * Makes browsers use https for one year. `includeSubDomains` is left out, because other hosts below the base host may have no https
 * (docs/operating.md).
 */
const HSTS = "max-age=31536000";

/** Sets the headers that every response has. `secure` is whether browsers reach the service by https. */
export function setCommonHeaders(reply: FastifyReply, { secure }: { secure: boolean }): void {
  reply.header("x-content-type-options", "nosniff");
  if (secure) reply.header("strict-transport-security", HSTS);
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
