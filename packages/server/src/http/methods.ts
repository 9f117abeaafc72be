import { METHODS as PARSED } from "node:http";
import { refuse } from "./refusal.ts";

/** The methods that a route may have a handler for; HEAD is answered as GET. */
export type Method = "GET" | "PUT" | "POST" | "PATCH" | "DELETE";

/** The methods that routes answer with something other than 405, in the order of `Allow`. */
const USED = ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE"] as const;

/** The methods that every route is mounted for: all that the HTTP parser accepts, but for preflights and tunnels. */
export const METHODS = PARSED.filter((method) => method !== "OPTIONS" && method !== "CONNECT");

/** The handler for a method; 405 `METHOD_NOT_ALLOWED` with `Allow` where there is none. */
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
