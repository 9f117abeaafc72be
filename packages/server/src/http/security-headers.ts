import type { FastifyReply } from "fastify";
import type { HeaderSink } from "./rate-limit.ts";

/** One year, without `includeSubDomains`: other hosts below the base host may have no https (docs/self-hosting.md). */
const HSTS = "max-age=31536000";

/** Sets the headers that every response has; `secure` is whether browsers reach the service by https. */
export function setCommonHeaders(reply: FastifyReply, { secure }: { secure: boolean }): void {
  reply.header("x-content-type-options", "nosniff");
  if (secure) reply.header("strict-transport-security", HSTS);
}

/**
 * Blocks cross-origin embedding, so that other sites cannot probe existence: a page of another origin could not read the
 * answer, but would see whether it loads. Reads across origins use CORS.
 */
export function blockEmbedding(answer: HeaderSink): void {
  answer.header("cross-origin-resource-policy", "same-origin");
  answer.header("x-frame-options", "DENY");
}

/** Lets a page of another origin below the same domain embed the answer after all, as an image for example. */
export function allowEmbedding(answer: HeaderSink): void {
  answer.header("cross-origin-resource-policy", "same-site");
}
