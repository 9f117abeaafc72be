import type { FastifyRequest } from "fastify";
import type { ServedFile } from "../drivers/canvas-content.ts";
import { destinationOf, initiatorOf } from "../http/cross-site.ts";

/**
 * Whether a response with a status to a request for a file shows a page to somebody: a document that is sent completely, or that the browser
 * still has. Not one that is loaded in advance, read by a script, or shown in a frame of a page of the same origin.
 */
export function isView({ method, headers }: FastifyRequest, { mime }: ServedFile, status: number): boolean {
  if (method !== "GET" || (status !== 200 && status !== 304) || !mime.startsWith("text/html")) return false;
  if (isInAdvance(headers["sec-purpose"]) || isInAdvance(headers.purpose)) return false;
  const destination = destinationOf(headers);
  return destination === "frame" ? initiatorOf(headers) !== "same" : destination !== "part";
}

/** Whether the purpose of a request is to load a page that nobody has asked for yet: `prefetch`, or `prefetch;prerender`. */
const isInAdvance = (purpose: string | string[] | undefined): boolean =>
  typeof purpose === "string" && /\bpre(fetch|render)\b/i.test(purpose);
