/** How the stand-in responds to a request. */
export interface Reply {
  /** 200 by default. */
  status?: number;
  headers?: Record<string, string | string[]>;
  /** A piece of the body. */
  body?: string;
  /** How many times the piece is sent. Once by default. */
  times?: number;
  /** The time to wait before the response. */
  delayMs?: number;
  /** Sends `103 Early Hints` before the response. */
  hints?: boolean;
  /** Closes the connection instead of a response. */
  reset?: boolean;
  /** Sends no response at all. */
  hang?: boolean;
  /** Sends the body, but never ends it. */
  stall?: boolean;
  /** Closes the connection after the body, without ending the response. */
  cut?: boolean;
}

/** Returns the query that asks the stand-in for a response. `mark` identifies the request in the log of the stand-in. */
export const asking = (reply: Reply, mark = ""): string =>
  new URLSearchParams({ reply: JSON.stringify(reply), mark }).toString();

/** Returns the response that a query asks for, or null if it asks for none. */
export function replyIn(query: URLSearchParams): Reply | null {
  const text = query.get("reply");
  return text === null ? null : (JSON.parse(text) as Reply);
}
