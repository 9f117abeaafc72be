import type { IncomingHttpHeaders } from "node:http";

/** Whether a browser asks for a page to show, rather than a program for data. */
export const wantsPage = ({ accept }: IncomingHttpHeaders): boolean => accept?.includes("text/html") === true;
