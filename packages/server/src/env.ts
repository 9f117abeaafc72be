import type { RuntimePolicy } from "@easel/protocol/policy";
import type { Logger } from "pino";
import type { Background, WorkLists } from "./async/background.ts";
import type { CallLog } from "./async/call-log.ts";
import type { Turns } from "./async/event-loop-turns.ts";
import type { OutboundCalls, Tally } from "./async/outbound-calls.ts";
import type { Concurrency, TaskPool } from "./async/task-pool.ts";
import type { CanvasData } from "./canvases/canvas-data.ts";
import type { Base } from "./config/addresses.ts";
import type { Config } from "./config/config.ts";
import type { Jwks } from "./crypto/jwks.ts";
import type { Passwords } from "./crypto/passwords.ts";
import type { Sealer } from "./crypto/sealer.ts";
import type { Signer } from "./crypto/signer.ts";
import type { Ai } from "./drivers/ai/ai.ts";
import type { Blobs } from "./drivers/blobs/blobs.ts";
import type { Bus } from "./drivers/bus/bus.ts";
import type { CanvasContent } from "./drivers/canvas-content.ts";
import type { Db } from "./drivers/db/db.ts";
import type { DocumentCache } from "./drivers/document-cache.ts";
import type { Outbound } from "./drivers/outbound/outbound.ts";
import type { Lease } from "./instance/lease.ts";

/** The settings, drivers and shared state of the service, which functions get as one parameter. */
export interface Env {
  config: Config;
  /** The public addresses. They are final once the service listens: if SERVICE_PORT is 0, the port is not known before. */
  base: Base;
  db: Db;
  blobs: Blobs;
  bus: Bus;
  /** The lease of this process. Whatever it holds on the bus or in the database names the lease. */
  lease: Lease;
  /** The AI provider; null if the deployment has no key for one. */
  ai: Ai | null;
  /** Sends the requests of Connections to external servers. */
  outbound: Outbound;
  /** Limits how many requests of Connections this process sends at once, in all and for each person. */
  outboundCalls: OutboundCalls;
  /** Collects the refused and failed calls to the runtime API of canvases until they are written to the database. */
  callLog: CallLog;
  /** Counts the calls through Connections until the counts are written to the database. */
  callTally: Tally;
  /**
   * Declares every table that holds data of canvases, and every column that holds keys of blobs. The purge of a deleted canvas removes the
   * rows in the order of this list.
   */
  canvasData: readonly CanvasData[];
  /** Caches the parsed policies of canvases. */
  policies: DocumentCache<RuntimePolicy>;
  /**
   * The contents of canvases that are not served from their published version, by the id of the canvas. Only `easel dev` adds one: a folder
   * on the disk.
   */
  localContent: Map<string, CanvasContent>;
  /** Whether the service runs in `easel dev`, where the reader of an error can change `easel.json`. */
  isDev: boolean;
  signer: Signer;
  /** Encrypts the protected headers of Connections. Has no key if SERVICE_ENCRYPTION_KEY is not set. */
  sealer: Sealer;
  passwords: Passwords;
  turns: Turns;
  /** Work that goes on after the response to its request. */
  background: Background;
  /** Limits how many large responses are sent to each caller at once. */
  responses: Concurrency;
  /** Receives bodies that are stored while they arrive. */
  uploads: TaskPool;
  /** Limits how many requests of each caller, whose bodies have not arrived, are open at once. */
  unfinished: Concurrency;
  /** Unpacks and stores bundles. */
  deploys: TaskPool;
  /** Makes and sends the zips of exports and versions. */
  downloads: TaskPool;
  /** Imports data. */
  imports: TaskPool;
  /** Compresses the files of published versions in the background. */
  compressions: WorkLists;
  /** The public keys that verify the tokens of the sign-in proxy. Null if SERVICE_PROXY_JWT_JWKS_URL is not set. */
  proxyKeys: Jwks | null;
  /** Returns the time in epoch milliseconds. */
  clock: () => number;
  log: Logger;
}
