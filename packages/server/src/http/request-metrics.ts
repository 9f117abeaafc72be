import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Metrics } from "../metrics/metrics.ts";
import { METHODS, methodOf } from "./methods.ts";

declare module "node:http" {
  interface IncomingMessage {
    /** Whether the request asks for an upgrade that the service takes. Set by Node. */
    upgrade?: boolean;
    /** When it arrived, by `performance.now()`, if requests are measured. */
    arrivedAt?: number;
    /** The pattern of the route, once the router has found one. */
    routePattern?: string | undefined;
  }
}

/** The status of a request whose client has closed the connection before the response. */
const CLIENT_GONE = 499;

const KNOWN = new Set<string>([...METHODS, "OPTIONS"]);

/**
 * Measures each request, from its arrival until its response has been sent or its connection is closed. The route is that in
 * `routePattern`. An open WebSocket is no active request, and is not measured.
 */
export function measureRequests(server: Server, { requestDuration, activeRequests }: Metrics): void {
  const activeIn = (request: IncomingMessage) => (request.upgrade ? 0 : 1);
  // One function for all requests: a closure for each, and `once`, would cost as much as the rest.
  function ended(this: ServerResponse): void {
    const { req: request, headersSent, statusCode } = this;
    activeRequests.add(-activeIn(request));
    const method = methodOf(request);
    requestDuration.observe(
      (performance.now() - (request.arrivedAt as number)) / 1000,
      KNOWN.has(method) ? method : "_OTHER",
      request.routePattern ?? "unmatched",
      headersSent ? statusCode : CLIENT_GONE,
    );
  }
  // Before those listeners that start the request.
  server.prependListener("request", (request, response) => {
    request.arrivedAt = performance.now();
    activeRequests.add(activeIn(request));
    response.on("close", ended);
  });
}
