import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { Capability } from "@easel/protocol/capabilities";
import type { Permission } from "@easel/protocol/types";
import { hasPermission } from "../access/roles.ts";
import type { Canvas } from "../canvases/access-lookup.ts";
import type { CanvasData } from "../canvases/canvas-data.ts";
import type { Env } from "../env.ts";
import type { Method } from "../http/methods.ts";
import type { Query } from "../http/query.ts";
import { refuse } from "../http/refusal.ts";
import type { Admitted, RateClass } from "../pipeline/visit.ts";
import type { Description } from "./description.ts";

/** A caller who has passed the access checks of a canvas. */
export interface Caller extends Admitted {
  /**
   * Throws 403 `CAPABILITY_DISABLED` unless the capability is on. Handlers call this to check a second capability, or their own one if the
   * primitive has `checksCapability`.
   */
  requireCapability(capability: Capability): void;
}

/** A request that has passed the access checks, as handlers receive it. */
export interface Call extends Caller {
  /** The path parameters, percent-decoded once. */
  params: Record<string, string>;
  query: Query;
  /** The IP address of the client. */
  address: string;
  /** The request with its unread body. */
  request: IncomingMessage;
  /** Returns the signal of the request, which aborts when the client closes the connection. Work that takes long stops then. */
  signal(): AbortSignal;
  /** Checks access again. Returns the call with the caller's current role, or throws a `Refusal` if the caller has lost access. */
  readmit(): Promise<Call>;
}

/**
 * A response for which the handler chooses the status, the headers or the kind of body. `headers` override the defaults: a `content-type`
 * of JSON and `cache-control: private, no-store`. A stream is read as fast as the client receives it, and destroyed when the client
 * disconnects.
 */
export interface FullAnswer {
  /** 200 by default. */
  status?: number;
  /** A header that is null is left out, even if the pipeline has set it. */
  headers?: Record<string, string | null>;
  body: string | Uint8Array | Readable | null;
  /** The names of response headers that pages of the canvas may read, in addition to those that they may always read. */
  exposed?: string[];
  /** Called when the client has received the response or has disconnected. */
  sent?: () => void;
}

/** The response of a handler. A plain string or stream is sent as JSON with status 200. */
export type Answer = string | Readable | FullAnswer;

/** Handles one method of a route. Throws a `Refusal` to reject the request. */
export type Handler = (call: Call, env: Env) => Promise<Answer>;

/**
 * A request for an upgrade to a WebSocket. It has passed all access checks except the check whether the capability is on. Only `readmit`
 * makes that check.
 */
export interface UpgradeCall extends Admitted {
  request: IncomingMessage;
  requestId: string;
  /** The bytes received after the request. */
  head: Buffer;
  /** Takes the connection from the HTTP server, which then sends no response. Returns the socket and the response headers set so far. */
  takeSocket(): { socket: Socket; headers: Record<string, unknown> };
  /** Repeats the authentication and the access check, and checks that the capability is on. Throws a `Refusal` if any of these fails. */
  readmit(): Promise<Admitted>;
}

/** Serves the upgraded connections of a route for as long as the service runs. */
export interface Upgrader {
  /** Upgrades the connection and serves it. To reject the request, throws a `Refusal`, which is sent as an HTTP response. */
  accept(call: UpgradeCall): void;
  start(): Promise<void>;
  /** Closes every connection. */
  close(): Promise<void>;
}

/** The handlers of a path, keyed by HTTP method. A path without handlers responds with 404. */
export interface Route extends Partial<Record<Method, Handler>> {
  /** Handles requests of every method. If it is set, the handlers of single methods are not used. */
  every?: Handler;
  /** Creates the object that serves the upgraded connections of the route. Called once per service. */
  upgrade?: (env: Env) => Upgrader;
}

/** One part of the runtime API, such as KV or files: its routes, its storage and its checks. */
export interface Primitive {
  capability: Capability;
  /** Describes the routes for the OpenAPI document. Every primitive of the service has a description. */
  description?: Description;
  /** The class of the requests to the primitive. Each class has its own rate limit. `canvas` by default. */
  rateClass?: RateClass;
  /**
   * Whether GET and HEAD only read what the service stores. Access tokens with the scope `read` may send only these methods, and only to
   * primitives where this is true.
   */
  readable?: boolean;
  /** Whether the primitive acts on canvases other than that of the path. Access tokens for one canvas may not use it. */
  leavesCanvas?: boolean;
  /** Declares the tables, quotas, storage use and blobs of the primitive; undefined if it stores nothing. */
  data?: CanvasData;
  /**
   * Whether the handlers call `requireCapability` themselves, after checks that the specification puts before it. By default the pipeline
   * checks the capability before the handlers run.
   */
  checksCapability?: true;
  /**
   * Returns whether visitors of a Public link may send a request with these path parameters (specification 5). A primitive without this
   * function rejects all their requests.
   */
  admitsVisitors?(canvas: Canvas, params: Record<string, string>, env: Env): Promise<boolean>;
  /** Starts work that goes on between requests. Called once the service listens. Returns a function that stops the work. */
  start?(env: Env): () => Promise<void>;
  /** The routes, keyed by their path below `/v1/c/{slug}`. */
  routes: Record<string, Route>;
}

/** Throws 403 `PERMISSION_DENIED` if the caller lacks a permission. Does not check the capability that the permission needs. */
export function requirePermission(call: Admitted, name: Permission): void {
  if (!hasPermission(call, name)) refuse("PERMISSION_DENIED");
}

/** The steps of a handler that reads a request body. */
interface Parts<Subject> {
  /** Checks the caller's rights and the parameters. Returns the value that `run` receives as `subject`, for example the key to write. */
  may(call: Call, env: Env): Subject | Promise<Subject>;
  /** Reads the body. */
  read(call: Call, env: Env): Promise<Buffer>;
  run(call: Call, subject: Subject, body: Buffer, env: Env): Promise<Answer>;
}

/**
 * Builds a handler that reads a request body. Access and rights are checked before the body and again after it, because a client could
 * delay the body until it has lost its rights (decision 020). The second check is skipped if the whole body arrived before the first check
 * or in the same turn of the event loop.
 */
export const withBody =
  <Subject>({ may, read, run }: Parts<Subject>): Handler =>
  async (call, env) => {
    const { complete } = call.request;
    const turn = env.turns.current;
    const checked = may(call, env);
    const subject = checked instanceof Promise ? await checked : checked;
    const body = await read(call, env);
    if (complete || env.turns.current === turn) return await run(call, subject, body, env);
    const now = await call.readmit();
    return await run(now, await may(now, env), body, env);
  };
