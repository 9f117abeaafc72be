/** How the stand-in responds to a request. */
export interface Reply {
  /** 200 by default. */
  status?: number;
  headers?: Record<string, string | string[]>;
  /** The text of which the body consists. It is sent `times` times. */
  body?: string;
  /** How many times `body` is sent. Once by default. */
  times?: number;
  /** The time to wait before the response. */
  delayMs?: number;
  /** Sends `103 Early Hints` before the response. */
  hints?: boolean;
  /** Sends no response, and closes the connection. */
  reset?: boolean;
  /** Sends no response, and leaves the connection open. */
  hang?: boolean;
  /** Sends the body, but never ends it. */
  stall?: boolean;
  /** Closes the connection after the body, without ending the response. */
  cut?: boolean;
}

/** Returns a query string, without `?`, that tells the stand-in how to respond. `mark` identifies the request in the stand-in's log. */
export const asking = (reply: Reply, mark = ""): string =>
  new URLSearchParams({ reply: JSON.stringify(reply), mark }).toString();

/** Parses the parameter `reply` of a query that `asking` has made. Returns null if the query has no such parameter. */
export function replyIn(query: URLSearchParams): Reply | null {
  const text = query.get("reply");
  return text === null ? null : (JSON.parse(text) as Reply);
}
