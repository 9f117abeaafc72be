import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Metrics } from "../metrics/metrics.ts";
import { METHODS, methodOf } from "./methods.ts";

declare module "node:http" {
  interface IncomingMessage {
    /** Whether the request asks for an upgrade that the service takes. Set by Node. */
    upgrade?: boolean;
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
  const measure = (request: IncomingMessage, response: ServerResponse) => {
    const start = performance.now();
    const active = request.upgrade ? 0 : 1;
    activeRequests.add(active);
    response.once("close", () => {
      activeRequests.add(-active);
      const method = methodOf(request);
      requestDuration.observe(
        (performance.now() - start) / 1000,
        KNOWN.has(method) ? method : "_OTHER",
        request.routePattern ?? "unmatched",
        response.headersSent ? response.statusCode : CLIENT_GONE,
      );
    });
  };
  // Before those listeners that start the request.
  server.prependListener("request", measure);
}
