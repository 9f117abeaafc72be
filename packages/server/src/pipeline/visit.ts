import type { IncomingMessage } from "node:http";
import type { CanvasRole } from "@easel/protocol/types";
import type { User } from "../access/principal.ts";
import type { Canvas } from "../canvases/access-lookup.ts";
import type { HeaderSink } from "../http/rate-limit.ts";

/** A request to a canvas, before anything is known about it. */
export interface Visit {
  slug: string;
  /** The runtime API, or the canvas's own pages. */
  surface: "api" | "content";
  request: IncomingMessage;
  answer: HeaderSink;
}

/** A visit to the runtime API. Limits are counted by class; everything below `/ai` is of class `ai`. */
export interface ApiVisit extends Visit {
  surface: "api";
  rateClass: "canvas" | "ai";
  /** Address of the client. */
  address: string;
}

/** A request that has passed the pipeline. */
export interface Admitted {
  user: User;
  canvas: Canvas;
  role: CanvasRole;
}
