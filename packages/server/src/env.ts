import type { Capability } from "@easel/protocol/capabilities";
import type { RuntimePolicy } from "@easel/protocol/policy";
import type { Logger } from "pino";
import type { UnavailableReason } from "./access/capability-gate.ts";
import type { Background } from "./async/background.ts";
import type { Concurrency } from "./async/concurrency.ts";
import type { Turns } from "./async/event-loop-turns.ts";
import type { TaskPool } from "./async/task-pool.ts";
import type { CanvasData } from "./canvases/canvas-data.ts";
import type { Base } from "./config/addresses.ts";
import type { Config } from "./config/config.ts";
import type { Jwks } from "./crypto/jwks.ts";
import type { Passwords } from "./crypto/passwords.ts";
import type { Signer } from "./crypto/signer.ts";
import type { Ai } from "./drivers/ai/ai.ts";
import type { Blobs } from "./drivers/blobs/blobs.ts";
import type { Bus } from "./drivers/bus/bus.ts";
import type { Db } from "./drivers/db/db.ts";
import type { DocumentCache } from "./drivers/document-cache.ts";

/**
 * Checks what a capability needs on a canvas besides being switched on, such as a granted connection or an API key. Returns why the
 * capability is unavailable, or null if it is available.
 */
export type AvailabilityCheck = (canvas: { id: string }, env: Env) => Promise<UnavailableReason | null>;

/** The settings, drivers and shared state of the service, which functions get as one parameter. */
export interface Env {
  config: Config;
  /** The public addresses. They are final once the service listens: if SERVICE_PORT is 0, the port is not known before. */
  base: Base;
  db: Db;
  blobs: Blobs;
  bus: Bus;
  /** The AI provider; null if the deployment has no key for one. */
  ai: Ai | null;
  /** The ids of the AI requests that this process has reserved and not settled. */
  aiRequests: Set<string>;
  /**
   * Declares every table that holds data of canvases, and every column that holds keys of blobs. The purge of a deleted canvas removes the
   * rows in the order of this list.
   */
  canvasData: readonly CanvasData[];
  /**
   * The checks of capabilities that need more than to be switched on, such as an API key. A capability without an entry needs nothing more.
   */
  availability: Partial<Record<Capability, AvailabilityCheck>>;
  /** Caches the parsed policies of canvases. */
  policies: DocumentCache<RuntimePolicy>;
  signer: Signer;
  passwords: Passwords;
  turns: Turns;
  /** Work that goes on after the response to its request. */
  background: Background;
  /** Limits how many large responses are sent to each caller at once. */
  responses: Concurrency;
  /** Limits how many bundles are unpacked and stored at once. */
  deploys: TaskPool;
  /**
   * Limits how many files of bundles are compressed at once. Each compression occupies a thread of the pool that also reads files for
   * responses.
   */
  compressions: TaskPool;
  /** The public keys that verify the tokens of the sign-in proxy. Null if SERVICE_PROXY_JWT_JWKS_URL is not set. */
  proxyKeys: Jwks | null;
  /** Returns the time in epoch milliseconds. */
  clock: () => number;
  log: Logger;
}
