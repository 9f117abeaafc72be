import type { ConnectionMethod } from "../policy.ts";

/**
 * Figures about a group of calls through Connections. `p50Ms` and `p95Ms` are rounded up to the bound of a range, such as 10, 20 or 35 ms.
 */
export interface ConnectionCalls {
  calls: number;
  /** The number of responses of the upstream by the class of their status, such as `2xx`. */
  responses: Record<string, number>;
  /** The number of other calls by error code, such as `UPSTREAM_TIMEOUT`. `aborted` counts those whose caller disconnected. */
  failures: Record<string, number>;
  /** The durations of the calls that got a response of the upstream. Null if there are none. */
  latency: { meanMs: number; p50Ms: number; p95Ms: number } | null;
}

/** The response of `GET /api/admin/connections/{profile}/usage`. `from` and `to` are the first and the last day (UTC) that it counts. */
export interface ProfileUsage {
  from: string;
  to: string;
  total: ConnectionCalls;
  /** In the order of the days. */
  days: (ConnectionCalls & { day: string })[];
  /** One entry for each canvas that has calls, sorted by title. */
  canvases: (ConnectionCalls & { canvasId: string; slug: string; title: string })[];
}

/**
 * What guests and visitors of a Public link may do with a Connection that is granted to them. Without a field, they may do what members
 * may.
 */
export interface ConnectionLimits {
  /** The exact paths at the external API, percent-encoded and without a query, such as `/v1/forecast`. */
  paths?: string[] | undefined;
  methods?: ConnectionMethod[] | undefined;
  /** How many requests all of them together may send through this canvas on a day (UTC). */
  requestsPerDay?: number | undefined;
}

/** The permission of an administrator to use a Connection on a canvas. It always admits members. */
export interface ConnectionGrant {
  /** Whether visitors of a Public link may use it. */
  public: boolean;
  /** Whether guests of the canvas may use it. */
  guests: boolean;
  limits: ConnectionLimits;
}

/** How a test call of a profile ended. Nothing else of the response is told. */
export interface ConnectionTest {
  /** The status of the external API; null if there was no response. */
  status: number | null;
  /** The error code that a page would get, and a sentence about it; null if there was a response. */
  code: string | null;
  message: string | null;
  /** How long the call took. */
  ms: number;
  /** The size of the body, which was read and dropped. */
  bytes: number;
}

/** A profile of Connections: an external server that administrators have approved. */
export interface ConnectionProfile {
  profile: string;
  /** The origin of the external API, such as `https://api.example.com`. */
  origin: string;
  methods: ConnectionMethod[];
  enabled: boolean;
  /** The names of headers that pages may send besides those that they may send through every profile. */
  requestHeaders: string[];
  /**
   * The names of the protected headers: those that the service adds to each request, such as `authorization`. Their values are never
   * returned.
   */
  headerNames: string[];
  /** Whether the service can decrypt the values of the protected headers. True if the profile has no protected headers. */
  keyAvailable: boolean;
  grants: (ConnectionGrant & { canvasId: string; slug: string; title: string })[];
}

/** The response of `GET /api/admin/connections`: all profiles, sorted by name. */
export interface ConnectionProfileList {
  connections: ConnectionProfile[];
}

/** A profile that is granted to a canvas, as its editors see it. */
export interface GrantedConnection {
  profile: string;
  origin: string;
  /** The methods that the administrator allows to members. */
  methods: ConnectionMethod[];
  /** Whether calls are sent now. False if an administrator has turned the profile off, or its protected headers cannot be decrypted. */
  enabled: boolean;
  /** Whether visitors of a Public link may use it. */
  public: boolean;
  /** Whether the policy of the canvas has an entry for it. Without one, the audience for Connections applies. */
  inPolicy: boolean;
}

/** The response of `GET /api/canvases/{id}/connections`, sorted by profile. */
export interface GrantedConnectionList {
  connections: GrantedConnection[];
}
