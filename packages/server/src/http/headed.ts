import type { IncomingMessage } from "node:http";

/** A request, or what a connection that stays open has kept of the one that opened it. */
export type Headed = Pick<IncomingMessage, "headers">;
