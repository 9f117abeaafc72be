import type { IncomingHttpHeaders } from "node:http";

/** Whether the request accepts HTML, as browsers do when they open a page. */
export const wantsPage = ({ accept }: IncomingHttpHeaders): boolean => accept?.includes("text/html") === true;
