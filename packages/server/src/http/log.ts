import type { FastifyRequest } from "fastify";
import { pino } from "pino";
import { methodOf } from "./methods.ts";

/**
 * Creates the logger, which writes JSON lines to standard error, with the name of the level and the time as people and programs read them. It redacts
 * the `Cookie` and `Authorization` headers.
 */
export const newLog = (level: string) =>
  pino(
    {
      level,
      redact: ["req.headers.cookie", "req.headers.authorization"],
      formatters: { level: (name) => ({ level: name }) },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    pino.destination({ dest: 2, sync: false }),
  );

/**
 * Returns the fields that describe a request in log lines. They contain the pattern of the route instead of the URL, which may contain the
 * token of an invitation, a sign-in code or personal data. `route` is null if no route matched.
 */
export const loggable = ({ id, raw, routeOptions, params }: FastifyRequest) => ({
  requestId: id,
  method: methodOf(raw),
  route: routeOptions.url ?? null,
  slug: (params as { slug?: string } | undefined)?.slug,
});
