import type { Capability } from "@easel/protocol/capabilities";
import type { RuntimePolicy } from "@easel/protocol/policy";
import type { Logger } from "pino";
import type { UnavailableReason } from "./access/capability-gate.ts";
import type { Concurrency } from "./async/concurrency.ts";
import type { Turns } from "./async/event-loop-turns.ts";
import type { TaskPool } from "./async/task-pool.ts";
import type { CanvasData } from "./canvases/canvas-data.ts";
import type { Base } from "./config/addresses.ts";
import type { Config } from "./config/config.ts";
import type { Jwks } from "./crypto/jwks.ts";
import type { Passwords } from "./crypto/passwords.ts";
import type { Signer } from "./crypto/signer.ts";
import type { Blobs } from "./drivers/blobs/blobs.ts";
import type { Bus } from "./drivers/bus/bus.ts";
import type { Db } from "./drivers/db/db.ts";
import type { DocumentCache } from "./drivers/document-cache.ts";

/**
 * Checks the live state that a capability needs on a canvas besides its switches, such as grants and keys. Returns why the
 * capability is unavailable, or null when it is available.
 */
export type AvailabilityCheck = (canvas: { id: string }, env: Env) => Promise<UnavailableReason | null>;

/** The settings, drivers and shared state of the service: the one parameter of everything that does I/O. */
export interface Env {
  config: Config;
  /** Final once the service listens: only then the port is known if the setting is 0. */
  base: Base;
  db: Db;
  blobs: Blobs;
  bus: Bus;
  /** The storage of primitives and of canvases, in the order in which a purge removes it. */
  canvasData: readonly CanvasData[];
  /** The checks of live state that primitives declare. */
  availability: Partial<Record<Capability, AvailabilityCheck>>;
  /** The policy documents of canvases. */
  policies: DocumentCache<RuntimePolicy>;
  signer: Signer;
  passwords: Passwords;
  turns: Turns;
  /** Counts the large responses that are being sent to each caller. */
  responses: Concurrency;
  /** Unpacks and stores bundles. */
  deploys: TaskPool;
  /** Compresses files of bundles; each takes one of the threads that also read files for pages. */
  compressions: TaskPool;
  /** Keys of the proxy's signed tokens; null where SERVICE_PROXY_JWT_JWKS_URL is not set. */
  proxyKeys: Jwks | null;
  /** Returns the time in epoch milliseconds. */
  clock: () => number;
  log: Logger;
}
