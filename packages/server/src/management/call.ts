import type { IncomingMessage } from "node:http";
import type { User } from "../access/principal.ts";
import type { Query } from "../http/query.ts";

/** A request of a signed-in user, before it is checked and parsed for its act. */
export interface Call {
  user: User;
  params: Record<string, string>;
  query: Query;
  /** The request with its unread body. */
  request: IncomingMessage;
}

/** Authenticates the caller again. Throws like a request without a session if the session or token is no longer valid. */
export type Reauthenticate = () => Promise<Call>;
