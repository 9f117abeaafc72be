import type { IncomingHttpHeaders } from "node:http";

/** The host that a request is for, with its port, in lower case; empty when it names none. */
export const hostOf = ({ host }: IncomingHttpHeaders): string => host?.toLowerCase() ?? "";
