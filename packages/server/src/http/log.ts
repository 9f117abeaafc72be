import type { FastifyRequest } from "fastify";
import { pino } from "pino";

/** Creates the log: JSON lines on standard error, without the headers that carry secrets. */
export const newLog = (level: string) =>
  pino(
    { level, redact: ["req.headers.cookie", "req.headers.authorization"] },
    pino.destination({ dest: 2, sync: false }),
  );

/**
 * Returns the fields by which log lines describe a request. They hold the pattern of the route instead of the URL, which may contain
 * an invitation's token, a code or personal data. `route` is null where no route matched.
 */
export const loggable = ({ id, method, routeOptions, params }: FastifyRequest) => ({
  requestId: id,
  method,
  route: routeOptions.url ?? null,
  slug: (params as { slug?: string } | undefined)?.slug,
});
