import { refuse } from "./refusal.ts";

/** The methods that a route may have a handler for; HEAD is answered as GET. */
export type Method = "GET" | "PUT" | "POST" | "PATCH" | "DELETE";

/** The methods that every route answers, if only with 405. */
export const METHODS = ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE"] as const;

/** The handler for a method; 405 `METHOD_NOT_ALLOWED` with `Allow` where there is none. */
export function handlerFor<Handler>(
  handlers: Partial<Record<Method, Handler>>,
  method: string,
  answer: { header(name: string, value: string): unknown },
): Handler {
  const handler = handlers[(method === "HEAD" ? "GET" : method) as Method];
  if (handler !== undefined) return handler;
  const allowed = METHODS.filter((each) => handlers[each === "HEAD" ? "GET" : each] !== undefined);
  answer.header("allow", allowed.join(", "));
  return refuse("METHOD_NOT_ALLOWED");
}
