import type { FastifyRequest } from "fastify";

/**
 * The description of a request in log lines: the pattern of its route instead of its URL, which may hold the token of an invitation, a
 * code or somebody's data. `route` is null where no route matched.
 */
export const loggable = ({ id, method, routeOptions, params }: FastifyRequest) => ({
  requestId: id,
  method,
  route: routeOptions.url ?? null,
  slug: (params as { slug?: string } | undefined)?.slug,
});
