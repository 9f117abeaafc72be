import type { AddressInfo } from "node:net";
import { availableParallelism } from "node:os";
import { LIMITS } from "@easel/protocol/limits";
import type { RuntimePolicy } from "@easel/protocol/policy";
import { createApp } from "./app.ts";
import { Background, WorkLists } from "./async/background.ts";
import { CallLog } from "./async/call-log.ts";
import { Turns } from "./async/event-loop-turns.ts";
import { OutboundCalls, Tally } from "./async/outbound-calls.ts";
import { Concurrency, TaskPool } from "./async/task-pool.ts";
import { startCallLog } from "./canvases/call-log-store.ts";
import { blobColumnsOf } from "./canvases/canvas-data.ts";
import { startSweeping } from "./canvases/sweep.ts";
import { baseOf } from "./config/addresses.ts";
import { type Config, readConfig, sessionSecrets, unknownVariables } from "./config/config.ts";
import { warningsOf } from "./config/warnings.ts";
import { Passwords } from "./crypto/passwords.ts";
import { Sealer } from "./crypto/sealer.ts";
import { Signer } from "./crypto/signer.ts";
import { makePrivateDirectory } from "./disk/private-files.ts";
import { migrate } from "./drivers/db/migrate.ts";
import { DocumentCache } from "./drivers/document-cache.ts";
import { openAi, openBlobs, openBus, openDb, openOutbound } from "./drivers/index.ts";
import { joinInstance, requireOneInstance, type Stores } from "./drivers/instance.ts";
import type { Env } from "./env.ts";
import { newLog } from "./http/log.ts";
import { NodeLease } from "./instance/lease.ts";
import { seedExamples } from "./management/seed-examples.ts";
import { primitives } from "./primitives/index.ts";
import { storedData } from "./stored-data.ts";

/** The time after which a stopping service closes the connections of requests that are still pending. */
const STOP_TIMEOUT_MS = 10_000;

/** Matches the names of the files and folders that the service creates in its data directory. */
const SERVICE_FILES = /^(easel\.db.*|blobs|uploads|session-secret.*)$/;

/** A running service. */
export interface Service {
  env: Env;
  /** The port on which the service listens. */
  port: number;
  /** Resolves when the `seed` function that was passed to `serve` has ended, also after a failure. */
  seeded: Promise<void>;
  /** Waits for pending requests for up to 10 s, then closes all connections and drivers. */
  stop(): Promise<void>;
}

/**
 * Loads the module for the sign-in proxy's public keys and creates a cache of these keys. Returns null if the setting for the URL of the
 * keys is empty.
 */
async function openProxyKeys({ proxyJwksUrl }: Config, log: Env["log"]): Promise<Env["proxyKeys"]> {
  if (proxyJwksUrl === null) return null;
  const { Jwks } = await import("./crypto/jwks.ts");
  return new Jwks(proxyJwksUrl, log);
}

/**
 * Starts the service: reads the settings, opens the drivers, builds the application and listens. `seed` fills the database with examples
 * while the service already responds.
 */
export async function serve(
  environment: Record<string, string | undefined>,
  seed: (env: Env) => Promise<void> = seedExamples,
): Promise<Service> {
  const config = readConfig(environment);
  const log = newLog(config.logLevel);
  for (const name of unknownVariables(environment))
    log.warn(`${name} is set but is no setting of this service`);
  for (const warning of warningsOf(config)) log.warn(warning);

  const stores = await openStores(config, log);
  try {
    await requireOneInstance(stores);
    return await run(config, stores, seed, log);
  } catch (error) {
    await Promise.all([stores.db.close(), stores.blobs.close()]);
    throw error;
  }
}

/** How many uploads of all people are received at once. Each holds a connection and a file. */
const UPLOADS = 1_000;

/**
 * Gives the configured database and blob store the same instance id, even if they had different ones. The service then accepts them as
 * belonging together. Returns a message for the operator.
 */
export async function join(environment: Record<string, string | undefined>): Promise<string> {
  const config = readConfig(environment);
  const stores = await openStores(config, newLog(config.logLevel));
  try {
    return await joinInstance(stores);
  } finally {
    await Promise.all([stores.db.close(), stores.blobs.close()]);
  }
}

/** Opens the database, migrates its schema, and opens the blob store. */
async function openStores(config: Config, log: Env["log"]): Promise<Stores> {
  const onBrokenDisk = (error: unknown) => {
    log.fatal({ err: error }, "the disk failed to persist a commit: the service stops");
    log.flush?.();
    process.exit(1);
  };
  await makePrivateDirectory(config.dataDir, SERVICE_FILES);
  const db = await openDb(config, onBrokenDisk, (change, cause) => {
    if (change === "away")
      log.error({ err: cause }, "the database is unavailable: requests that need it get 503");
    else log.info("the database is available again");
  });
  try {
    await migrate(db);
    const blobs = await openBlobs(config);
    return { config, db, blobs, blobColumns: blobColumnsOf(storedData()), clock: Date.now };
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Builds the application on the opened database and blob store, and listens. */
async function run(
  config: Config,
  { db, blobs, clock }: Stores,
  seed: (env: Env) => Promise<void>,
  log: Env["log"],
): Promise<Service> {
  const bus = await openBus(config);
  const signer = new Signer(await sessionSecrets(config));
  const passwords = new Passwords(2);
  const proxyKeys = await openProxyKeys(config, log);
  const base = baseOf(config, config.port);
  const policies = new DocumentCache<RuntimePolicy>();
  const responses = new Concurrency(LIMITS.largeResponses.value);
  const uploads = new TaskPool({
    running: UPLOADS,
    runningEach: LIMITS.uploads.value,
    waitingEach: LIMITS.unfinishedRequests.value,
  });
  const unfinished = new Concurrency(LIMITS.unfinishedRequests.value);
  const deploys = new TaskPool({ running: 2, runningEach: 1, waitingEach: 8 });
  // A client decides how long a download lasts, so all people together may have any number.
  const downloads = new TaskPool({
    running: Infinity,
    runningEach: LIMITS.downloads.value,
    waitingEach: 8,
  });
  const imports = new TaskPool({ running: 2, runningEach: 1, waitingEach: 2 });
  // With one or two cores, only one file is compressed at a time, because a compression occupies a core and a thread of Node's pool, which
  // also reads files for responses.
  const width = availableParallelism() > 2 ? 2 : 1;
  const compressing = new TaskPool({ running: width, runningEach: 1, waitingEach: 1 });
  const compressions = new WorkLists(compressing, (err) => log.error({ err }, "compressing files failed"));
  const turns = new Turns();
  const background = new Background();
  const ai = await openAi(config);
  let servicePort = config.port;
  const outbound = openOutbound(config, () => servicePort);
  const lease = new NodeLease({ db, bus, clock, log });
  const kept = {
    signer,
    passwords,
    turns,
    background,
    ai,
    outbound,
    outboundCalls: new OutboundCalls(),
    callLog: new CallLog(config.callLog),
    callTally: new Tally(),
    lease,
    sealer: new Sealer(config.encryptionKeys),
    responses,
    uploads,
    unfinished,
    deploys,
    imports,
    downloads,
    compressions,
    proxyKeys,
    policies,
    localContent: new Map(),
    isDev: false,
    canvasData: storedData(),
  };
  const env: Env = { config, base, db, blobs, bus, ...kept, clock, log };
  await lease.start();
  const app = await createApp(env);
  await app.listen({ host: config.host, port: config.port });
  const { port } = app.server.address() as AddressInfo;
  env.base = baseOf(config, port);
  servicePort = port;
  const stopSweeping = startSweeping(env);
  const stopCallLog = startCallLog(env);
  const stops = primitives.flatMap(({ start }) => start?.(env) ?? []);
  const seeded = seed(env).catch((error: unknown) =>
    log.error({ err: error }, "the examples are not deployed"),
  );

  return {
    env,
    port,
    seeded,
    async stop() {
      const timeout = setTimeout(() => app.server.closeAllConnections(), STOP_TIMEOUT_MS);
      // Closes idle connections repeatedly, because a connection becomes idle only when its last request has ended.
      const idle = setInterval(() => app.server.closeIdleConnections(), 50);
      await app.close();
      clearTimeout(timeout);
      clearInterval(idle);
      await compressions.stop();
      await background.settled();
      await Promise.all([seeded, stopSweeping(), stopCallLog(), ...stops.map((stop) => stop())]);
      await lease.stop();
      await Promise.all([db.close(), blobs.close(), bus.close(), outbound.close()]);
    },
  };
}
