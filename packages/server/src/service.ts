import { existsSync } from "node:fs";
import type { ServerResponse } from "node:http";
import net, { BlockList } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { RuntimePolicy } from "@easel/protocol/policy";
import type { FastifyInstance } from "fastify";
import { readClientDocument } from "./access/client-document.ts";
import { createApp } from "./app.ts";
import { CallLog } from "./async/call-log.ts";
import { LastSeen } from "./async/last-seen.ts";
import { OutboundCalls, Tally } from "./async/outbound-calls.ts";
import { PageViews } from "./async/page-views.ts";
import { newPools } from "./async/pools.ts";
import { Sample } from "./async/sampled.ts";
import { finishRestore } from "./backup/interrupted-restore.ts";
import { startCallLog } from "./canvases/call-log-store.ts";
import { blobColumnsOf } from "./canvases/canvas-data.ts";
import { startSweeping } from "./canvases/sweep.ts";
import { baseOf } from "./config/addresses.ts";
import { type Config, isPostgres, readConfig, unknownVariables } from "./config/config.ts";
import { warningsOf } from "./config/warnings.ts";
import { openSecrets } from "./crypto/secrets.ts";
import { makePrivateDirectory } from "./disk/private-files.ts";
import type { Blobs } from "./drivers/blobs/blobs.ts";
import type { Db, Schema } from "./drivers/db/db.ts";
import { MIGRATIONS, migrate, OlderNodeRuns, pendingMigrations } from "./drivers/db/migrate.ts";
import { DocumentCache } from "./drivers/document-cache.ts";
import type { Drivers, WrapDrivers } from "./drivers/drivers.ts";
import { copyBeforeMigrations, openAi, openBlobs, openBus, openDb, openOutbound } from "./drivers/index.ts";
import { RemoteDocuments } from "./drivers/remote-documents.ts";
import type { Env, InstanceContext } from "./env.ts";
import { newLog } from "./http/log.ts";
import { serveMetrics } from "./http/metrics-server.ts";
import { startLastSeen } from "./identity/last-seen-store.ts";
import { limitTokenAges } from "./identity/token-ages.ts";
import { portOfSocket } from "./instance/given-socket.ts";
import { joinInstance, requireOneInstance, type Stores } from "./instance/instance-id.ts";
import { NodeLease } from "./instance/lease.ts";
import { describeNode, joinNodes, keepNode, runningNodes } from "./instance/nodes.ts";
import { becomeOnlyWriter, HAND_OVER_MS } from "./instance/one-writer.ts";
import { startMail } from "./mail/sender.ts";
import { seedExamples } from "./management/seed-examples.ts";
import { type Metrics, newMetrics } from "./metrics/metrics.ts";
import { describeStart } from "./organisation/started.ts";
import { startPageViews } from "./organisation/view-counts.ts";
import { primitives } from "./primitives/index.ts";
import { storedData } from "./stored-data.ts";

/** The time in which a stopping node is noticed by the proxy in front of it: more than its interval of checks (docs/growing.md). */
const DRAIN_MS = 3_000;
/** The time between two attempts to migrate a database while an older node uses it. */
const HAND_OVER_RETRY_MS = 500;
/** The time after which a stopping service closes the connections of requests that are still pending. */
const STOP_TIMEOUT_MS = 10_000;

/**
 * The time in which clients on open connections send their next request, and learn that it is the last one. A given socket already accepts for
 * the next process.
 */
const GIVEN_DRAIN_MS = 500;
/** How many connections may wait at a given socket while the service restarts: the default limit of Linux. */
const GIVEN_BACKLOG = 4_096;

/** Matches the names of the files and folders that the service creates in its data directory. */
const SERVICE_FILES = /^(easel\.db.*|blobs.*|uploads|staging|session-secret.*|before-.*|restoring.*)$/;

/** A running service. */
export interface Service {
  env: Env;
  /** The port on which the service listens. */
  port: number;
  /** Resolves when the `seed` function that was passed to `serve` has ended, also after a failure. */
  seeded: Promise<void>;
  /** Lets a proxy notice that the node stops, waits for pending requests for up to 10 s, then closes all connections and drivers. */
  stop(): Promise<void>;
}

/** What a caller of `serve` may decide apart from the settings. */
export interface ServeOptions {
  /**
   * Fills the database while the service already responds. By default, dev mode gets the example canvases. `stop` aborts when the service
   * begins to stop.
   */
  seed?: (env: Env, stop: AbortSignal) => Promise<void>;
  /** Wraps the drivers. By default they are used as they were opened. */
  wrap?: WrapDrivers;
  /** Returns parts of the context that replace those of the service. Called before anything uses the context. */
  replace?: (env: Env) => Partial<Env>;
  /** For how many milliseconds `stop` serves on while `/healthz` fails already. By default 0 if the service is the only node, else 3,000. */
  drainMs?: number;
  /** Whether other processes may use the same SQLite database. By default the start waits until they have stopped. */
  sharesDatabase?: boolean;
  /** The file descriptor of a TCP socket to listen at, instead of SERVICE_HOST and SERVICE_PORT. Whoever has given it keeps it open. */
  socket?: number | undefined;
  /** Whether other processes listen at the same port. The system then distributes the connections. False by default. */
  sharesPort?: boolean;
}

/** The settings of a process, the log and the metrics. */
interface Settings {
  config: Config;
  log: Env["log"];
  metrics: Metrics;
}

/** The opened and migrated stores of an instance, and what its processes have alike. */
interface Instance extends InstanceContext {
  db: Db & Schema;
  /** The name of the last migration that this version knows. */
  schema: string;
  blobs: Blobs;
  /** Closes the stores, and lets another process use the database. */
  close(): Promise<void>;
}

/** A process that has all it needs to respond, and does not listen yet. `reserved` has its port if the settings name none. */
interface Process {
  env: Env;
  /** Closes the stores of the instance. */
  closeStores: Instance["close"];
  lease: NodeLease;
  /** Aborts `env.stopping`. */
  stopping: AbortController;
  reserved: net.Server | null;
}

/** Starts the service. */
export async function serve(
  environment: Record<string, string | undefined>,
  options: ServeOptions = {},
): Promise<Service> {
  const settings = readSettings(environment);
  const instance = await openInstance(settings, options.sharesDatabase ? null : HAND_OVER_MS);
  let started: Process | undefined;
  try {
    const id = await requireOneInstance(storesOf(instance));
    started = await startProcess(instance, id, options);
    return await listen(started, options);
  } catch (error) {
    started?.reserved?.close();
    await started?.lease.stop();
    await started?.env.bus.close();
    await instance.close();
    throw error;
  }
}

/**
 * Gives the configured database and blob store the same instance id, even if they had different ones. The service then accepts them as
 * belonging together. Returns a message for the operator.
 */
export async function joinStores(environment: Record<string, string | undefined>): Promise<string> {
  const instance = await openInstance(readSettings(environment));
  try {
    return await joinInstance(storesOf(instance));
  } finally {
    await instance.close();
  }
}

/**
 * Applies the migrations that the configured database lacks. With `dry`, only lists them. Returns a message for the operator. @throws SetupError
 * while a service that cannot work with them uses the database.
 */
export async function migrateStores(
  environment: Record<string, string | undefined>,
  dry: boolean,
): Promise<string> {
  const settings = readSettings(environment);
  const lock = dry ? null : await becomeOnlyWriter(settings, 0);
  const file = settings.config.databaseUrl.replace(/^sqlite:/, "");
  try {
    if (dry && !isPostgres(settings.config.databaseUrl) && !existsSync(file))
      return `${file} is not there yet: the first start makes it.`;
    const db = await openDatabase(settings);
    try {
      const pending = await pendingMigrations(db);
      if (!dry) await migrateDatabase(db, settings.log, 0);
      if (pending.length === 0) return "The schema of the database is current.";
      return [dry ? "These migrations would be applied:" : "Applied:", ...pending].join("\n  ");
    } finally {
      await db.close();
    }
  } finally {
    lock?.release();
  }
}

/** Reads the settings, and warns of those that are unknown or risky. */
function readSettings(environment: Record<string, string | undefined>): Settings {
  const config = readConfig(environment);
  const log = newLog(config.logLevel);
  for (const name of unknownVariables(environment))
    log.warn(`${name} is set but is no setting of this service`);
  for (const warning of warningsOf(config)) log.warn(warning);
  return { config, log, metrics: newMetrics() };
}

/**
 * Waits for up to `waitMs` until no other process writes to the database, opens it, migrates its schema, and opens the blob store. With null,
 * others may use an SQLite database, too.
 */
async function openInstance(settings: Settings, waitMs: number | null = 0): Promise<Instance> {
  const { config, log, metrics } = settings;
  await makePrivateDirectory(config.dataDir, SERVICE_FILES);
  const lock = waitMs === null ? null : await becomeOnlyWriter(settings, waitMs);
  let db: (Db & Schema) | undefined;
  try {
    // On PostgreSQL, other nodes may start meanwhile, and the command finishes its work itself.
    if (!isPostgres(config.databaseUrl) && (await finishRestore(config)))
      log.warn("a restore that was interrupted is finished");
    db = await openDatabase(settings);
    const copy = await copyBeforeMigrations(config, db);
    if (copy !== null) log.info({ copy }, "the database is copied before it is migrated");
    const schema = await migrateDatabase(db, log, waitMs ?? 0);
    const stores = { db, blobs: await openBlobs(config, db) };
    return {
      config,
      ...stores,
      schema,
      canvasData: storedData(),
      clock: Date.now,
      log,
      metrics,
      async close() {
        await Promise.all([stores.db.close(), stores.blobs.close()]);
        lock?.release();
      },
    };
  } catch (error) {
    await db?.close();
    lock?.release();
    throw error;
  }
}

function openDatabase({ config, log, metrics }: Settings): Promise<Db & Schema> {
  const onBrokenDisk = (error: unknown) => {
    log.fatal({ err: error }, "the disk failed to persist a commit: the service stops");
    log.flush?.();
    process.exit(1);
  };
  const engine = isPostgres(config.databaseUrl) ? "postgres" : "sqlite";
  metrics.dbAvailable.set(1, engine);
  return openDb(config, onBrokenDisk, {
    onReachability(change, cause) {
      metrics.dbAvailable.set(change === "away" ? 0 : 1, engine);
      if (change === "away")
        log.error({ err: cause }, "the database is unavailable: requests that need it get 503");
      else log.info("the database is available again");
    },
    onCommit: (seconds) => metrics.commitDuration.observe(seconds, engine),
    onOperation: (seconds) => metrics.operationDuration.observe(seconds, "postgresql"),
  });
}

/**
 * Migrates the schema, as soon as no node runs that could not read it, which may take up to `waitMs`. Returns the name of the last migration that
 * this version knows.
 */
async function migrateDatabase(db: Schema, log: Env["log"], waitMs: number): Promise<string> {
  const until = performance.now() + waitMs;
  for (let isWaiting = false; ; isWaiting = true) {
    try {
      const { schema, newer, applied, isNew } = await migrate(db, MIGRATIONS, runningNodes);
      if (isNew) log.info({ schema }, "the tables of a new database are made");
      else for (const { name, ms } of applied) log.info({ migration: name, ms }, "the database is migrated");
      if (newer.length > 0) {
        const message =
          "a newer release has migrated the database, and this one can work with it: upgrade this node, too";
        log.warn({ newer }, message);
      }
      return schema;
    } catch (error) {
      if (!(error instanceof OlderNodeRuns) || performance.now() > until) throw error;
      if (!isWaiting) log.info(`waiting for up to ${waitMs / 1000} s, in case it stops: ${error.message}`);
      await sleep(HAND_OVER_RETRY_MS);
    }
  }
}

const storesOf = ({ canvasData, ...instance }: Instance): Stores => ({
  ...instance,
  blobColumns: blobColumnsOf(canvasData),
});

/** Opens the other drivers, takes the lease of the process, and builds the context. */
async function startProcess(
  instance: Instance,
  instanceId: string,
  { wrap, replace, socket }: ServeOptions,
): Promise<Process> {
  const { config, db, blobs, clock, log } = instance;
  const secrets = await openSecrets(config, log);
  const [bus, ai] = [await openBus(config, instanceId, log), await openAi(config)];
  const given = socket === undefined ? undefined : portOfSocket(socket, config);
  const reserved = given === undefined && config.port === 0 ? await reservePort(config.host) : null;
  const port = given ?? (reserved === null ? config.port : portOf(reserved));
  const opened: Drivers = {
    db,
    blobs,
    bus,
    ai,
    outbound: openOutbound(config.connectionsPrivateCidrs, port),
    publicOutbound: openOutbound(new BlockList(), port),
  };
  const drivers = wrap?.(opened) ?? opened;
  const lease = new NodeLease({ ...drivers, clock, log });
  const stopping = new AbortController();
  const env: Env = {
    ...instance,
    ...drivers,
    ...newPools((err) => log.error({ err }, "compressing files failed")),
    ...secrets,
    base: baseOf(config, port),
    lease,
    lastSeen: new LastSeen(),
    open: { realtimeConnections: 0 },
    policies: new DocumentCache<RuntimePolicy>(),
    stopping: stopping.signal,
    callLog: new CallLog(config.callLog),
    pageViews: new PageViews(config.pageViews),
    outboundCalls: new OutboundCalls(),
    callTally: new Tally(),
    refusalSample: new Sample(),
    clientDocuments: new RemoteDocuments(readClientDocument, { clock, log }),
    localContent: new Map(),
    isDev: false,
  };
  try {
    if (db.engine === "postgres") await joinOthers(env, lease, instance, port);
    await lease.start();
  } catch (error) {
    reserved?.close();
    await bus.close();
    throw error;
  }
  return { env: { ...env, ...replace?.(env) }, closeStores: instance.close, lease, stopping, reserved };
}

/** Adds this process to the nodes of a database that several can use. A service on SQLite is the only one. */
async function joinOthers(env: Env, lease: NodeLease, { db, schema }: Instance, port: number): Promise<void> {
  const { config, bus, log } = env;
  const settings = { sharedBus: bus.isShared, blobsUrl: config.blobsUrl, schema };
  const node = describeNode(lease.id, port, env, settings);
  const wait = (message: string) => log.warn(message);
  const { nodes, warnings } = await joinNodes(db, node, wait, HAND_OVER_MS);
  lease.keepNode((skewMs) => keepNode(node, skewMs, env.open.realtimeConnections));
  for (const warning of warnings) log.warn(warning);
  log.info({ node: node.id, nodes, version: node.version }, `node ${nodes} of ${nodes}`);
}

/** Builds the application, listens, and starts the work that goes on between requests. */
async function listen(
  { env, closeStores, lease, stopping, reserved }: Process,
  {
    seed = seedExamples,
    socket,
    sharesPort = false,
    drainMs = env.config.busUrl === "memory:" ? 0 : DRAIN_MS,
  }: ServeOptions,
): Promise<Service> {
  await limitTokenAges(env);
  const app = await createApp(env);
  if (socket === undefined) await listenAt(app, reserved, env.config, sharesPort);
  else await listening(app.server, () => app.server.listen({ fd: socket, backlog: GIVEN_BACKLOG }));
  const { metricsAddress } = env.config;
  const metrics =
    metricsAddress === null ? null : await serveMetrics(metricsAddress, env).catch(closing(app));
  const stopSweeping = startSweeping(env);
  const stopCallLog = startCallLog(env);
  const stopLastSeen = startLastSeen(env);
  const stopPageViews = startPageViews(env);
  const stopMail = startMail(env);
  env.log.info(describeStart(env), "the service has started");
  const stops = primitives.flatMap(({ start }) => start?.(env) ?? []);
  const seeded = seed(env, stopping.signal).catch((error: unknown) =>
    env.log.error({ err: error }, "the examples are not deployed"),
  );
  return {
    env,
    port: portOf(app.server),
    seeded,
    async stop() {
      stopping.abort();
      env.log.info("the service stops");
      if (socket !== undefined)
        await drain(app, GIVEN_DRAIN_MS, () => net.Server.prototype.close.call(app.server));
      else if (drainMs > 0) await drain(app, drainMs);
      await closeApp(app);
      await env.compressions.stop();
      await env.background.settled();
      await Promise.all([
        seeded,
        stopSweeping(),
        stopCallLog(),
        stopLastSeen(),
        stopPageViews(),
        stopMail(),
        ...stops.map((stop) => stop()),
      ]);
      await lease.stop();
      await metrics?.stop();
      await Promise.all([env.bus, env.outbound, env.publicOutbound].map((driver) => driver.close()));
      await closeStores();
      env.log.info("the service has stopped");
    },
  };
}

/** Returns a function that closes the application and throws an error. */
const closing = (app: FastifyInstance) => async (error: unknown) => {
  await app.close();
  throw error;
};

const portOf = (server: net.Server) => (server.address() as net.AddressInfo).port;

/** Takes a free port, so that it is known before the application is built. Connections are refused until the application listens. */
async function reservePort(host: string): Promise<net.Server> {
  const reserved = net.createServer((socket) => socket.destroy());
  await listening(reserved, () => reserved.listen({ host, port: 0 }));
  return reserved;
}

/** Lets the application listen at the reserved port, or at that of the settings. */
async function listenAt(
  app: FastifyInstance,
  reserved: net.Server | null,
  { host, port }: Config,
  sharesPort: boolean,
): Promise<void> {
  if (sharesPort) await listening(app.server, () => app.server.listen({ host, port, reusePort: true }));
  else if (reserved === null) await app.listen({ host, port });
  else await listening(app.server, () => app.server.listen(reserved));
}

/** Calls `listen`, and waits until the server listens. Throws if it cannot. */
function listening(server: net.Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", () => {
      server.off("error", reject);
      resolve();
    });
    listen();
  });
}

/**
 * Serves on for a while, and ends each connection after its next response, so that a proxy that sees `/healthz` fail sends the next requests to
 * other nodes. Otherwise it might send one on a connection that is being closed. `close` may end the accepting of connections, if they wait elsewhere.
 */
async function drain(app: FastifyInstance, ms: number, close = () => {}): Promise<void> {
  app.server.prependListener("request", (_request, response: ServerResponse) => {
    response.shouldKeepAlive = false;
  });
  close();
  await sleep(ms);
}

/** Waits for pending requests for a while, then closes all connections. */
async function closeApp(app: FastifyInstance): Promise<void> {
  const timeout = setTimeout(() => app.server.closeAllConnections(), STOP_TIMEOUT_MS);
  // Closes idle connections repeatedly, because a connection becomes idle only when its last request has ended.
  const idle = setInterval(() => app.server.closeIdleConnections(), 50);
  await app.close();
  clearTimeout(timeout);
  clearInterval(idle);
}
