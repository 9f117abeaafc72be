import connect from "postgres";
import type { ServerOptions } from "./postgres-options.ts";

/** A client of the `postgres` package. It has up to `max` connections and a queue. */
export type Client = connect.Sql<{ bigint: number }>;

/**
 * Returns the rows of a result. If the query before it on the connection has failed after its first rows, as at the end of its time, the package
 * (postgres 3.4) leaves as many holes before the rows.
 */
export const ownRows = <Each>(found: Each[]): Each[] =>
  found.length === 0 || 0 in found ? found : found.filter(() => true);

/** The time after which the server cancels a statement. */
export const STATEMENT_MS = 15_000;

/** Options of a client. `settings` are settings of PostgreSQL for its connections. */
interface ClientOptions {
  settings?: Record<string, string>;
  /** Called when a connection closes. A client with this option keeps its connections for ever. */
  onClose?: () => void;
}

/** Makes a client with up to `max` connections. */
export type OpenClient = (max: number, options?: ClientOptions) => Client;

/** Returns a function that makes clients for a server. */
export const clientsOf =
  ({ url, ...server }: ServerOptions, connectMs: number): OpenClient =>
  (max, { settings, onClose } = {}) =>
    connect(url, {
      ...server,
      max,
      connect_timeout: connectMs / 1000,
      backoff: () => 0.1,
      // Does not fetch the list of types, which only arrays need. If the connection were lost during the fetch, there would be an unhandled
      // rejection.
      fetch_types: false,
      onnotice() {},
      ...(onClose && { onclose: onClose, max_lifetime: null }),
      types: {
        bigint: { to: 20, from: [20], parse: Number, serialize: String },
        // JSON is passed as text. By default, the package would serialize that text once more.
        json: { to: 114, from: [114], parse: String, serialize: String },
      },
      connection: {
        application_name: "easel",
        statement_timeout: STATEMENT_MS,
        client_min_messages: "warning",
        ...settings,
      },
    });
