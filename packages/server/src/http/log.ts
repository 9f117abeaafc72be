import type { FastifyRequest } from "fastify";
import { pino } from "pino";

/** JSON lines on standard error. Headers that carry secrets never reach them. */
export const newLog = (level: string) =>
  pino(
    { level, redact: ["req.headers.cookie", "req.headers.authorization"] },
    pino.destination({ dest: 2, sync: false }),
  );

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
