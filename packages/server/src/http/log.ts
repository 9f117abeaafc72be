import type { FastifyRequest } from "fastify";
import { pino } from "pino";
import { methodOf } from "./methods.ts";
import { traceOf } from "./trace.ts";

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

/** Returns the fields by which the log lines of a request are found: its id, and the trace that it belongs to, if its sender has named one. */
export const logIds = ({ id, raw }: Pick<FastifyRequest, "id" | "raw">): LogIds => {
  const trace = traceOf(raw);
  return { requestId: id, ...(trace !== null && { trace_id: trace.id }) };
};

/** The ids of a request. The name of that of the trace is the one of OpenTelemetry. */
export interface LogIds {
  requestId: string;
  trace_id?: string;
}

/**
 * Returns the fields that describe a request in log lines. They contain the pattern of the route instead of the URL, which may contain the
 * token of an invitation, a sign-in code or personal data. `route` is null if no route matched.
 */
export const loggable = (request: FastifyRequest) => ({
  ...logIds(request),
  method: methodOf(request.raw),
  route: request.routeOptions.url ?? null,
  slug: (request.params as { slug?: string } | undefined)?.slug,
});
