import { METHODS as PARSED } from "node:http";
import { refuse } from "./refusal.ts";

/** The methods for which routes can have handlers. The handler of GET also serves HEAD. */
export type Method = "GET" | "PUT" | "POST" | "PATCH" | "DELETE";

/** The methods in the order in which `Allow` lists them. */
const USED = ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE"] as const;

/** The methods for which routes are registered: all that the HTTP parser of Node accepts, except OPTIONS and CONNECT. */
export const METHODS = PARSED.filter((method) => method !== "OPTIONS" && method !== "CONNECT");

/** Returns the handler for a method. If there is none, sets `Allow` and throws 405 `METHOD_NOT_ALLOWED`. */
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
