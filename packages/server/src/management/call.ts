import type { IncomingMessage } from "node:http";
import type { User } from "../access/principal.ts";
import type { Query } from "../http/query.ts";
import type { Caller } from "../identity/credential.ts";

/** A request of a signed-in user to the management API, before it is checked and parsed. */
export interface Call extends Caller<User> {
  params: Record<string, string>;
  query: Query;
  /** The request with its unread body. */
  request: IncomingMessage;
  /** Returns the signal of the request, which aborts when the client closes the connection. Work that takes long stops then. */
  signal(): AbortSignal;
  /** The value of the JSON body, if the body has been read already, for example from a form. */
  given?: unknown;
}

/**
 * Authenticates the caller again. If the session or token is no longer valid, throws the same error as for a request without credentials.
 */
export type Reauthenticate = () => Promise<Call>;
