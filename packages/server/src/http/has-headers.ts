import type { IncomingMessage } from "node:http";

/** A request, or the headers of the request that opened a connection. The connection keeps them for later checks. */
export type HasHeaders = Pick<IncomingMessage, "headers">;
