import type { IncomingMessage } from "node:http";
import type { CanvasRole } from "@easel/protocol/types";
import type { Person } from "../auth/people.ts";
import type { Canvas } from "../canvases/entry.ts";
import type { HeaderSink } from "../rate-limit.ts";

/** A request to a canvas, before anything is known about it. */
export interface Visit {
  slug: string;
  /** Limits are counted by class; everything below `/ai` is of class `ai`. */
  rateClass: "canvas" | "ai";
  request: IncomingMessage;
  /** Address of the client. */
  address: string;
  answer: HeaderSink;
}

/** Who is asking, as the service itself found out. */
export type Viewer = { kind: "member"; person: Person } | { kind: "anonymous" };

/** A request that has passed the pipeline. */
export interface Admitted {
  viewer: Viewer;
  /** The person; the pipeline admits nobody else to a handler. */
  person: Person;
  canvas: Canvas;
  role: CanvasRole;
}
