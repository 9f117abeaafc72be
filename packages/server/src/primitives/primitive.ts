import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { Capability } from "@easel/protocol/capabilities";
import type { CanvasData } from "../canvases/canvas-data.ts";
import type { AvailabilityCheck, Env } from "../env.ts";
import type { Method } from "../http/methods.ts";
import type { Query } from "../http/query.ts";
import type { Admitted, RateClass } from "../pipeline/visit.ts";

/** An admitted request to a handler. */
export interface Call extends Admitted {
  /** Path parameters, decoded once. */
  params: Record<string, string>;
  query: Query;
  /** The IP address of the client. */
  address: string;
  /** The request with its unread body. */
  request: IncomingMessage;
  /** Throws 403 `CAPABILITY_DISABLED` unless a further capability is on. */
  requireCapability(capability: Capability): Promise<void>;
  /** Checks access again. Returns the call with the caller's current role, or throws the `Refusal` of the pipeline. */
  readmit(): Promise<Call>;
}

/**
 * A response with its own status, headers or kind of body. Headers override the defaults: `content-type` of JSON and
 * `cache-control: private, no-store`. A stream is read as fast as the client takes it, and destroyed when the client goes away.
 */
export interface FullAnswer {
  /** 200 by default. */
  status?: number;
  headers?: Record<string, string>;
  body: string | Uint8Array | Readable | null;
}

/** The response of a handler. A string or a stream alone is JSON with status 200. */
export type Answer = string | Readable | FullAnswer;

/** Handles one method of a route. Throws a `Refusal` to reject the request. */
export type Handler = (call: Call, env: Env) => Promise<Answer>;

/** An admitted request to upgrade its connection. The capability gate has not been checked; only `readmit` checks it. */
export interface UpgradeCall extends Admitted {
  request: IncomingMessage;
  requestId: string;
  /** The bytes received after the request. */
  head: Buffer;
  /** The time at which the proxy's assertion about the caller expires, in epoch milliseconds; infinite if there is none. */
  until: number;
  /**
   * Takes the connection from the HTTP server, which then sends no response. Returns the socket and the headers that the pipeline has set.
   */
  takeSocket(): { socket: Socket; headers: Record<string, unknown> };
  /** Repeats authentication, access check and capability gate while the connection is open. */
  readmit(): Promise<Admitted>;
}

/** Serves the upgraded connections of a route for as long as the service runs. */
export interface Upgrader {
  /** Takes the connection. To reject it, throws a `Refusal`, which is sent as an HTTP response. */
  accept(call: UpgradeCall): void;
  start(): Promise<void>;
  /** Closes every connection. */
  close(): Promise<void>;
}

/** The handlers of a path by method. A path without any responds with 404. */
export interface Route extends Partial<Record<Method, Handler>> {
  /** Creates the upgrader of the route, once per service. */
  upgrade?: (env: Env) => Upgrader;
}

/** The routes of a part of the runtime API, and what the service needs to know about it. */
export interface Primitive {
  capability: Capability;
  /** The rate class of its requests; `canvas` by default. */
  rateClass?: RateClass;
  /** Its tables, quotas, bytes and blobs, if it stores anything. */
  data?: CanvasData;
  /** The check of its live state. The capability gate runs it if the switches are on, and so does `GET /me`. */
  available?: AvailabilityCheck;
  /** The routes by their path below `/v1/c/{slug}`. */
  routes: Record<string, Route>;
}
