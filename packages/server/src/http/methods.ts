import { METHODS as PARSED } from "node:http";
import { refuse } from "./refusal.ts";

/** The methods that a route may have a handler for; the handler of GET serves HEAD, too. */
export type Method = "GET" | "PUT" | "POST" | "PATCH" | "DELETE";

/** The methods in the order in which `Allow` lists them. */
const USED = ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE"] as const;

/** The methods that every route is mounted for: all of the HTTP parser except OPTIONS and CONNECT. */
export const METHODS = PARSED.filter((method) => method !== "OPTIONS" && method !== "CONNECT");

/** Returns the handler for a method; throws 405 `METHOD_NOT_ALLOWED` and sets `Allow` where there is none. */
export function handlerFor<Handler>(
  handlers: Partial<Record<Method, Handler>>,
  method: string,
  answer: { header(name: string, value: string): unknown },
): Handler {
  const handler = handlers[(method === "HEAD" ? "GET" : method) as Method];
  if (handler !== undefined) return handler;
  const allowed = USED.filter((each) => handlers[each === "HEAD" ? "GET" : each] !== undefined);
  answer.header("allow", allowed.join(", "));
  return refuse("METHOD_NOT_ALLOWED");
}
