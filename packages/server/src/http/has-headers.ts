import type { IncomingMessage } from "node:http";

/** A request, or the kept headers of the request that opened a connection. */
export type HasHeaders = Pick<IncomingMessage, "headers">;
