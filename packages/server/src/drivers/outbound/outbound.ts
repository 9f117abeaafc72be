/** A header of a request. A request may have several headers with the same name. */
export type Header = [name: string, value: string];

/** A request to an upstream, the external server that a Connection calls. */
export interface OutboundRequest {
  /** The origin of the upstream, such as `https://api.example.com`. */
  origin: string;
  /** The path and the query. */
  path: string;
  method: string;
  headers: Header[];
  /** Null for a request without a body. */
  body: Buffer | null;
}

/** A response of an upstream. The keys of `headers` are lower-case. */
export interface OutboundResponse {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body exactly as the upstream sent it: if it is compressed, it is not decompressed. */
  body: AsyncIterable<Buffer>;
  /** Closes the connection unless the body has been read to its end. */
  discard(): void;
}

/** Thrown if the service must not connect to a host, because of one of its addresses. The message is for the log of the operator only. */
export class DestinationBlocked extends Error {}

/** Thrown if the name cannot be resolved, or the connection, TLS or the HTTP exchange fails. The message is for the log only. */
export class UpstreamFailure extends Error {}

/**
 * Sends requests to external servers over HTTPS. Connects only to addresses that have been checked: each new connection resolves the name,
 * checks every address, and then uses one of these very addresses. TLS verifies the certificate for the name.
 */
export interface Outbound {
  /**
   * Sends one request and never follows a redirect. Throws `DestinationBlocked` or `UpstreamFailure`. When `signal` is aborted, closes the
   * connection and throws.
   */
  send(request: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse>;
  /** Resolves the host of an origin and checks every address. Throws `DestinationBlocked` or `UpstreamFailure`. */
  check(origin: string, signal: AbortSignal): Promise<void>;
  /** Closes all connections. */
  close(): Promise<void>;
}
