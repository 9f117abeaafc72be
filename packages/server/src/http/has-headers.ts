import type { IncomingMessage } from "node:http";

/** A request, or the headers that an open connection has kept of the one that opened it. */
export type HasHeaders = Pick<IncomingMessage, "headers">;
