import type { Ai } from "./ai/ai.ts";
import type { Blobs } from "./blobs/blobs.ts";
import type { Bus } from "./bus/bus.ts";
import type { Db } from "./db/db.ts";
import type { Outbound } from "./outbound/outbound.ts";

/** The opened drivers: everything outside of the process with which the service works. */
export interface Drivers {
  db: Db;
  blobs: Blobs;
  bus: Bus;
  /** The AI provider; null if the deployment has no key for one. */
  ai: Ai | null;
  /** Sends the requests of Connections to external servers. */
  outbound: Outbound;
  /** Sends requests to servers that anybody may have named: to public addresses only, whatever the operator approves for Connections. */
  publicOutbound: Outbound;
}

/** Wraps the opened drivers, for example to count and to time their calls. What it returns is all that the service uses. */
export type WrapDrivers = (drivers: Drivers) => Drivers;
