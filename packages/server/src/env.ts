import type { RuntimePolicy } from "@easel/protocol/policy";
import type { Logger } from "pino";
import type { CallLogging } from "./async/call-log.ts";
import type { LastSeen } from "./async/last-seen.ts";
import type { ConnectionCounters } from "./async/outbound-calls.ts";
import type { ViewCounting } from "./async/page-views.ts";
import type { Pools } from "./async/pools.ts";
import type { RefusalSampling } from "./async/sampled.ts";
import type { CanvasData } from "./canvases/canvas-data.ts";
import type { Base } from "./config/addresses.ts";
import type { Config } from "./config/config.ts";
import type { Secrets } from "./crypto/secrets.ts";
import type { Development } from "./drivers/canvas-content.ts";
import type { DocumentCache } from "./drivers/document-cache.ts";
import type { Drivers } from "./drivers/drivers.ts";
import type { RemoteDocumentCache } from "./drivers/remote-documents.ts";
import type { Lease } from "./instance/lease.ts";
import type { Metrics } from "./metrics/metrics.ts";

/** What every process of an instance has alike. */
export interface InstanceContext {
  config: Config;
  /** Declares what each part of the service stores. The purge of a deleted canvas removes the rows in the order of this list. */
  canvasData: readonly CanvasData[];
  /** Returns the time in epoch milliseconds. */
  clock: () => number;
  log: Logger;
  metrics: Metrics;
}

/** What a process has of its own, apart from what the modules declare next to their classes. */
export interface ProcessContext {
  /** The public addresses. */
  base: Base;
  /** The lease of this process. Whatever it holds on the bus or in the database names the lease. */
  lease: Lease;
  /** Collects who uses the service. */
  lastSeen: LastSeen;
  /** What this process holds open. */
  open: { realtimeConnections: number };
  /** Caches the parsed policies of canvases. */
  policies: DocumentCache<RuntimePolicy>;
  /** Aborted when the process begins to stop. */
  stopping: AbortSignal;
}

/**
 * The context of the service, which functions get as one parameter: the parts that its modules declare. It is complete before the service
 * listens, and never changes.
 */
export type Env = Readonly<
  InstanceContext &
    ProcessContext &
    Drivers &
    Secrets &
    Pools &
    CallLogging &
    ViewCounting &
    RefusalSampling &
    ConnectionCounters &
    RemoteDocumentCache &
    Development
>;
