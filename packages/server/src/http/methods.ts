import type { IncomingMessage } from "node:http";
import { refuse } from "./refusal.ts";

declare module "node:http" {
  interface IncomingMessage {
    /** The method that the client sent, if `replaceOtherMethod` has replaced it. */
    originalMethod?: string;
  }
}

/** The methods for which routes can have handlers. The handler of GET also serves HEAD. */
export type Method = "GET" | "PUT" | "POST" | "PATCH" | "DELETE";

/** The methods in the order in which `Allow` lists them. */
const USED = ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE"] as const;

/** The method that stands for every method for which no route has a handler. */
const OTHER = "TRACE";

/** The methods for which routes are registered. */
export const METHODS = [...USED, OTHER];

/** The methods that the router knows. CONNECT requests never reach the router. */
const ROUTED: readonly (string | undefined)[] = [...METHODS, "OPTIONS"];

/**
 * Replaces a method for which no route has a handler, such as PROPFIND, by `TRACE`. The router stores each route once per method, and Node
 * parses 35 methods, so registering the routes would otherwise take four times as long at every start.
 */
export function replaceOtherMethod(request: IncomingMessage): void {
  const { method = "" } = request;
  if (ROUTED.includes(method)) return;
  request.originalMethod = method;
  request.method = OTHER;
}

/** Returns the method that the client sent. */
export const methodOf = (request: IncomingMessage): string => request.originalMethod ?? request.method ?? "";

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
