import type { IncomingMessage } from "node:http";
import type { CanvasRole } from "@easel/protocol/types";
import type { Principal, RuntimeUse } from "../access/principal.ts";
import type { Canvas } from "../canvases/access-lookup.ts";
import type { Bucket } from "../drivers/bus/bus.ts";
import type { Env } from "../env.ts";
import type { HeaderSink } from "../http/rate-limit.ts";
import type { Caller } from "../identity/credential.ts";

/** A request to a canvas before the pipeline, which consists of authentication, rate limit and access checks. */
export interface Visit {
  slug: string;
  /** Whether the request is to the runtime API or to the pages of the canvas. */
  surface: "api" | "content";
  request: IncomingMessage;
  answer: HeaderSink;
  /** The caller and the canvas, once the pipeline has read them. `canvas` is null if there is no canvas with this slug. */
  principal?: Principal;
  canvas?: Canvas | null;
}

/** The classes of requests to the runtime API, each with its own rate limit (specification 8). */
export type RateClass = "canvas" | "ai";

/** Decides about one request: returns whether visitors of a Public link to the canvas may send it. */
export type AdmitsVisitors = (canvas: Canvas, env: Env) => Promise<boolean>;

/** A request to the runtime API. */
export interface ApiVisit extends Visit {
  surface: "api";
  /**
   * The id of the canvas if the path is the one below the management API. That path is for the service's own pages and for programs: step 4
   * checks the origin as that API does, and pages of canvases may not read the response.
   */
  canvasId: string | undefined;
  /** The pattern of the route, below the path of the canvas. */
  route: string;
  rateClass: RateClass;
  /** The IP address of the client. */
  address: string;
  /** The properties of the request on which the restrictions of access tokens depend. */
  use: RuntimeUse;
  /** Decides whether visitors of a Public link may send this request. If it is undefined, they may not, on any canvas. */
  admitsVisitors?: AdmitsVisitors | undefined;
  /** The bucket that the request has taken a token from. A request that is tried again gives it back first. */
  countedIn?: Bucket;
}

/** The result of the pipeline for a request: the caller, the canvas, and the caller's role on it. */
export interface Admitted extends Caller {
  canvas: Canvas;
  role: CanvasRole;
}
