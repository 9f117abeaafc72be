import type { IncomingMessage } from "node:http";

/** A request, or the headers that an open connection keeps of the request that opened it. */
export type HasHeaders = Pick<IncomingMessage, "headers">;
