import type { IncomingMessage } from "node:http";

/** An HTTP request, or only its headers. */
export type HasHeaders = Pick<IncomingMessage, "headers">;
