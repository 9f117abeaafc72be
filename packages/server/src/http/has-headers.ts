import type { IncomingMessage } from "node:http";

/** An HTTP request, or only its headers: an open connection keeps the headers of the request that opened it, for later checks. */
export type HasHeaders = Pick<IncomingMessage, "headers">;
