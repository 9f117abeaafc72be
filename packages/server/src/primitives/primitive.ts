import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { Capability } from "@easel/protocol/capabilities";
import type { Permission } from "@easel/protocol/types";
import { hasPermission } from "../access/roles.ts";
import type { Canvas } from "../canvases/access-lookup.ts";
import type { CanvasData } from "../canvases/canvas-data.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { definer, type Operation } from "../operations/operation.ts";
import type { Admitted, RateClass } from "../pipeline/visit.ts";

/** The caller of an operation: a person or program that has passed the access checks of a canvas. */
export interface RuntimeCaller extends Admitted {
  /**
   * Throws 403 `CAPABILITY_DISABLED` unless the capability is on. Operations call this to check a second capability, or their own one if
   * the primitive has `checksCapability`.
   */
  requireCapability(capability: Capability): void;
  /** The IP address of the client. */
  address: string;
  /** Checks access again. Returns the caller with their current role, or throws a `Refusal` if they have lost access. */
  readmit(): Promise<RuntimeCaller>;
}

/**
 * A result for which the operation chooses the status, the headers or the kind of body. `headers` override the defaults: a `content-type`
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

/** The result of an operation. A plain string or stream is JSON. */
export type Answer = string | Readable | FullAnswer;

/** An operation of the runtime API. Its path is the one below `/v1/c/{slug}`. */
export interface RuntimeOperation extends Operation<RuntimeCaller, Answer> {
  /** Creates the object that serves the connections that are upgraded at the path. Called once per service. */
  upgrade?: (env: Env) => Upgrader;
}

/** Defines an operation of the runtime API by its checks, in their order. */
export const operation = definer<RuntimeCaller, Answer>();

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

/** One part of the runtime API, such as KV or files: its operations and its storage. */
export interface Primitive {
  capability: Capability;
  /** The title of the primitive, and sentences about it in Markdown, for the docs and the OpenAPI document. */
  title: string;
  summary: string;
  /** The class of the requests to the primitive. Each class has its own rate limit. `canvas` by default. */
  rateClass?: RateClass;
  /**
   * Whether GET and HEAD only read what the service stores. Access tokens with the scope `read` may send only these methods, and only to
   * primitives where this is true.
   */
  readable?: boolean;
  /** Whether the operations take errors of pages, which the session of a preview may report although it may only read. */
  reportsErrors?: boolean;
  /** Whether the primitive acts on canvases other than that of the path. Access tokens for one canvas may not use it. */
  leavesCanvas?: boolean;
  /** Declares the tables, quotas, storage use and blobs of the primitive; undefined if it stores nothing. */
  data?: CanvasData;
  /**
   * Whether the operations call `requireCapability` themselves, after checks that the specification puts before it. By default the pipeline
   * checks the capability before an operation is performed.
   */
  checksCapability?: true;
  /**
   * Whether nothing that the operations do before their first statement has an effect outside of the process. Their first statement then
   * verifies the rows from memory by which the caller was admitted. By default, and for operations with a slow body, these are verified
   * before the operation (`pipeline/optimistic.ts`).
   */
  optimistic?: true;
  /**
   * Returns whether visitors of a Public link may send a request with these path parameters (specification 5). A primitive without this
   * function rejects all their requests.
   */
  admitsVisitors?(canvas: Canvas, params: Record<string, string>, env: Env): Promise<boolean>;
  /** Starts work that goes on between requests. Called once the service listens. Returns a function that stops the work. */
  start?(env: Env): () => Promise<void>;
  operations: readonly RuntimeOperation[];
  /**
   * Whether a request of a method without an operation is passed to the GET operation of its path, which refuses it after its checks. By
   * default the response is 405.
   */
  takesEveryMethod?: true;
  /** Further paths that belong to the primitive, without operations. Their requests are counted in its rate class, and get 404. */
  reserved?: readonly string[];
}

/** Throws 403 `PERMISSION_DENIED` if the caller lacks a permission. Does not check the capability that the permission needs. */
export function requirePermission(caller: Admitted, name: Permission): void {
  if (!hasPermission(caller, name)) refuse("PERMISSION_DENIED");
}
