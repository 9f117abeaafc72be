import type { IncomingMessage } from "node:http";
import type { CanvasRole } from "@easel/protocol/types";
import type { User } from "../access/principal.ts";
import type { Canvas } from "../canvases/access-lookup.ts";
import type { HeaderSink } from "../http/rate-limit.ts";

/** A request to a canvas before the pipeline. */
export interface Visit {
  slug: string;
  /** The runtime API or the canvas's pages. */
  surface: "api" | "content";
  request: IncomingMessage;
  answer: HeaderSink;
}

/** The classes that requests to the runtime API are counted in, each with its own limit (specification 8). */
export type RateClass = "canvas" | "ai";

/** A request to the runtime API. */
export interface ApiVisit extends Visit {
  surface: "api";
  rateClass: RateClass;
  /** The IP address of the client. */
  address: string;
}

/** A request that has passed the pipeline. */
export interface Admitted {
  user: User;
  canvas: Canvas;
  role: CanvasRole;
}
