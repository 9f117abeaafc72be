import type { FastifyReply } from "fastify";

/** One year; each host says it for itself, as other hosts below the base host may have no https (docs/self-hosting.md). */
const HSTS = "max-age=31536000";

/** Sets the headers that every answer carries; `secure` is whether browsers reach the service by https. */
export function setCommonHeaders(reply: FastifyReply, { secure }: { secure: boolean }): void {
  reply.header("x-content-type-options", "nosniff");
  if (secure) reply.header("strict-transport-security", HSTS);
}
